"""Steps 1 and 2: a source's own files into clean rows on disk; a broken record becomes a reject with file and line."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from searchjev.digest import digest, file_sha256
from searchjev.errors import SourceError
from searchjev.readers import locate, read_file
from searchjev.release.item import Item, Ledger
from searchjev.release.spool import Spool
from searchjev.release.steps.near_duplicates import Signed, Signer
from searchjev.release.steps.normalise import normalise
from searchjev.release.table import Columns, Observer, state_digest
from searchjev.source import Broken, Drop, File, Files, Raw, Row, Rows, Source
from searchjev.sources import get_source

STEP = "read"


class ReadTask(NamedTuple):
    """A source to read: the folder of sources, the most rows to keep, and the folder for what is read."""

    name: str
    sources: str
    most: int
    work: str


class SourceRows(NamedTuple):
    """What one source gave: spool file, columns, signed states, ledger, and the digests of the files that were read."""

    name: str
    spool: str
    columns: Columns
    signed: Signed
    ledger: Ledger
    files: dict[str, str]


def source_bytes(name: str, sources: Path) -> int:
    """Bytes of a source's files on disk, as the cost of reading it."""
    source = get_source(name)
    paths = (locate(source.folder(sources), file.name) for file in source.files)
    return sum(path.stat().st_size for path in paths if path is not None)


def read_source(task: ReadTask) -> SourceRows | None:
    """Rows of one source, at most so many, chosen by digest; None when a file it needs is missing."""
    source, folder = get_source(task.name), Path(task.sources)
    paths = {file.name: locate(source.folder(folder), file.name) for file in source.files}
    if any(paths[file.name] is None and not file.optional for file in source.files):
        return None
    ledger, observer, signer = Ledger(), Observer(), Signer()
    row = 0
    path = Path(task.work) / f"{task.name}.rows"
    with Spool(path) as spool:
        for item in _chosen(_items(source, paths, ledger), task.most, ledger):
            if normalise(item, ledger):
                state = state_digest(item.state)
                # rows about one state belong together whatever they ask
                item.keys.append(f"state:{state:016x}")
                observer.add(item, state, spool.put(item))
                signer.add(row, state, item.state)
                row += 1
    files = {f"{task.name}/{path.name}": file_sha256(path) for path in paths.values() if path is not None}
    rejects = ledger.spill(path.with_suffix(".rejects"))
    return SourceRows(task.name, str(path), observer.columns(), signer.signed(), rejects, files)


def _items(source: Source, paths: dict[str, Path | None], ledger: Ledger) -> Iterator[Item]:
    seen: Counter[str] = Counter()
    for where, found in _found(source, paths):
        if isinstance(found, Row):
            item = _item(source, found)
            seen[item.sample_id] += 1
            # second and further rows of one record and capability get a number: ids are unique and stable
            if seen[item.sample_id] > 1:
                item.sample_id += f"/{seen[item.sample_id]}"
            yield item
        else:
            ledger.drop(source.name, where, STEP, found.reason)
            ledger.passed(STEP, 1, 0)


def _chosen(items: Iterator[Item], most: int, ledger: Ledger) -> Iterator[Item]:
    """At most so many items, those of the smallest digests, in the order in which they came; encoded while waiting."""
    heap: list[tuple[int, int, bytes]] = []
    encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Item).decode
    count = 0
    for count, item in enumerate(items, 1):
        entry = (-digest("cap", item.sample_id), -count, encode(item))
        if len(heap) < most:
            heapq.heappush(heap, entry)
            continue
        out = decode(heapq.heappushpop(heap, entry)[2])
        ledger.drop(out.source, out.sample_id, STEP, "over the source's cap")
    ledger.passed(STEP, count, len(heap))
    heap.sort(key=lambda entry: -entry[1])
    return (decode(data) for _, _, data in heap)


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
                yield from ((where, found) for found in _of_record(rows, record))


def _rows(source: Source, records: Callable[[File], Iterator[Raw | Broken]]) -> Rows:
    if source.rows is not None:
        return source.rows
    if source.prepare is None:
        raise SourceError(f"source {source.name!r}: neither rows nor prepare is declared")
    return source.prepare(Files(records, source.files))


def _of_record(rows: Rows, record: Raw) -> Iterator[Row | Drop]:
    try:
        yield from rows(record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        yield Drop(f"record not in the declared form ({type(error).__name__})")


def _item(source: Source, row: Row) -> Item:
    mother = f"{source.name}:{row.mother or row.upstream_id}"
    return Item(
        sample_id=f"{source.name}/{row.upstream_id}/{row.capability}",
        source=source.name,
        capability=row.capability,
        language=row.language,
        tier=row.tier,
        origin=row.origin,
        difficulty=row.difficulty,
        agreement=row.agreement,
        protection=source.held_out or row.split,
        mother=mother,
        keys=list(dict.fromkeys([mother, *row.group_keys])),
        state=row.state,
        questions=row.questions,
        answers=row.answers,
    )
