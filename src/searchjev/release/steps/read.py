"""Step 1: sources' own files into rows; a broken record becomes a reject with file and line."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from searchjev.digest import digest, file_sha256
from searchjev.errors import SourceError
from searchjev.readers import locate, read_file
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger, Reject
from searchjev.source import Broken, Drop, File, Files, Raw, Row, Rows, Source
from searchjev.sources import get_source

STEP = "read"


class SourceRows(NamedTuple):
    """What one source gave: items, rejects, and the digests of the files that were read."""

    name: str
    items: list[Item]
    rejects: list[Reject]
    files: dict[str, str]
    read: int


def read_sources(
    names: list[str], folder: Path, config: ReleaseConfig, workers: int, ledger: Ledger
) -> list[SourceRows]:
    """Rows of every named source that is present, in the order of names, whatever the number of workers."""
    read = partial(read_source, folder=folder, config=config)
    if workers <= 1:
        results = [read(name) for name in names]
    else:
        # fresh processes: a fork of one with threads may hang
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            results = list(pool.map(read, names))
    present = [result for result in results if result is not None]
    for result in present:
        ledger.rejects += result.rejects
    ledger.notes["missing_sources"] = [name for name, result in zip(names, results, strict=True) if result is None]
    total = sum(result.read for result in present)
    ledger.passed(STEP, total, sum(len(result.items) for result in present))
    return present


def read_source(name: str, *, folder: Path, config: ReleaseConfig) -> SourceRows | None:
    """Rows of one source, at most the config's number, chosen by digest; None when a file it needs is missing."""
    source = get_source(name)
    paths = {file.name: locate(source.folder(folder), file.name) for file in source.files}
    if any(paths[file.name] is None and not file.optional for file in source.files):
        return None
    items: list[Item] = []
    rejects: list[Reject] = []
    read = 0
    for where, found in _found(source, paths):
        read += 1
        if isinstance(found, Row):
            items.append(_item(source, found))
        else:
            rejects.append(Reject(name, where, STEP, found.reason))
    _number(items)
    kept = _capped(items, config.rows.get(name, config.max_rows), rejects)
    files = {f"{name}/{path.name}": file_sha256(path) for path in paths.values() if path is not None}
    return SourceRows(name, kept, rejects, files, read)


def _found(source: Source, paths: dict[str, Path | None]) -> Iterator[tuple[str, Row | Drop | Broken]]:
    def records(file: File) -> Iterator[Raw | Broken]:
        path = paths[file.name]
        return iter(()) if path is None else read_file(path, file)

    rows = _rows(source, records)
    for file in source.files:
        for record in records(file):
            where = f"{file.name}:{record.line}"
            if isinstance(record, Broken):
                yield where, record
            elif not file.joined:
                yield from ((where, found) for found in _of_record(source, rows, record, where))


def _rows(source: Source, records: Callable[[File], Iterator[Raw | Broken]]) -> Rows:
    if source.rows is not None:
        return source.rows
    if source.prepare is None:
        raise SourceError(f"source {source.name!r}: neither rows nor prepare is declared")
    return source.prepare(Files(records, source.files))


def _of_record(source: Source, rows: Rows, record: Raw, where: str) -> Iterator[Row | Drop]:
    try:
        yield from rows(record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        yield Drop(f"record not in the declared form ({type(error).__name__})")


def _item(source: Source, row: Row) -> Item:
    return Item(
        sample_id=f"{source.name}/{row.upstream_id}/{row.capability}",
        source=source.name,
        held_out=source.held_out,
        row=row,
        state=row.state,
        questions=row.questions,
        answers=row.answers,
        mother=f"{source.name}:{row.mother or row.upstream_id}",
        keys=list(dict.fromkeys([f"{source.name}:{row.mother or row.upstream_id}", *row.group_keys])),
    )


def _number(items: list[Item]) -> None:
    """Second and further rows of one record and capability get a number: ids are unique and stable."""
    seen: Counter[str] = Counter()
    for item in items:
        seen[item.sample_id] += 1
        if seen[item.sample_id] > 1:
            item.sample_id += f"/{seen[item.sample_id]}"


def _capped(items: list[Item], most: int, rejects: list[Reject]) -> list[Item]:
    if len(items) <= most:
        return items
    chosen = {item.sample_id for item in sorted(items, key=lambda item: digest("cap", item.sample_id))[:most]}
    rejects += [
        Reject(i.source, i.sample_id, STEP, "over the source's cap") for i in items if i.sample_id not in chosen
    ]
    return [item for item in items if item.sample_id in chosen]
