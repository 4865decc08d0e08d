"""`build(config, ...)`: the steps from source files to a release, in the order in which they happen.

Rows lie on disk between the steps; what looks at all rows at once sees digests in arrays (`table.py`). The steps that
look at one row at a time run as tasks of an engine.
"""

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from searchjev.digest import digest, file_sha256
from searchjev.errors import SourceError
from searchjev.progress import progress
from searchjev.release.config import ReleaseConfig
from searchjev.release.engine import Engine, Local
from searchjev.release.folder import replaced
from searchjev.release.item import Ledger
from searchjev.release.publish import Built, publish
from searchjev.release.steps import groups as grouping
from searchjev.release.steps import split as splitting
from searchjev.release.steps import weights as weighing
from searchjev.release.steps.duplicates import alive, duplicates
from searchjev.release.steps.finish import Finished, FinishTask, finish
from searchjev.release.steps.near_duplicates import STEP as NEAR
from searchjev.release.steps.near_duplicates import near_duplicates
from searchjev.release.steps.preflight import open_tokenizer
from searchjev.release.steps.read import ReadTask, SourceRows, read_source, source_bytes
from searchjev.release.steps.write import Origin
from searchjev.release.table import PROTECTION, Codes, Ints, Table, join
from searchjev.sources import all_sources, get_source

log = logging.getLogger(__name__)
STRETCH = 10_000
"""Rows of one task."""


def build(config: ReleaseConfig, only: list[str] | None = None, workers: int = 1, engine: Engine | None = None) -> Path:
    """Build the release that the config describes; returns its folder.

    The bytes depend on sources, config and tokenizer alone: not on engine, workers, machine or time. The folder is
    replaced when everything is written; a build that is cut short leaves the old release as it was.
    """
    tokenizer = Path(config.tokenizer).expanduser()
    open_tokenizer(tokenizer)
    ledger = Ledger()
    names = _allowed(only, ledger)
    out = Path(config.out)
    with replaced(out) as folder:
        rows = _steps(names, config, engine or Local(workers), folder / "work", ledger)
        sources = [name for name, split in zip(rows.source_names, _trains(rows), strict=True) if split]
        origin = Origin(file_sha256(tokenizer), frozenset(sources))
        publish(rows, config, ledger, origin, engine or Local(workers), folder)
    log.info("release: %d rows in %s", int((rows.size > 0).sum()), out)
    return out


def _allowed(only: list[str] | None, ledger: Ledger) -> list[str]:
    """Names to read; sources whose licence allows evaluation alone never enter a release."""
    named = list(all_sources()) if only is None else sorted({get_source(name).name for name in only})
    refused = [name for name in named if get_source(name).licence_class == "evaluation-only"]
    if only is not None and refused:
        raise SourceError(f"{', '.join(refused)}: licensed for evaluation only, so no part of a release; leave it out")
    ledger.notes["refused_sources"] = refused
    return [name for name in named if name not in refused]


def _steps(names: list[str], config: ReleaseConfig, engine: Engine, work: Path, ledger: Ledger) -> Built:
    work.mkdir()
    read = _read(names, config, engine, work, ledger)
    table = join([source.columns for source in read])
    verdict = duplicates(table, ledger)
    stands = alive(table, verdict == 0)
    near = near_duplicates(table, [source.signed for source in read], [source.spool for source in read], ledger)
    grouped = grouping.groups(table, near, config)
    splits = splitting.split(table, grouped.group, stands)
    for step in (NEAR, grouping.STEP, splitting.STEP):
        ledger.passed(step, int(stands.sum()), int(stands.sum()))
    done = _finish(_tasks(table, read, verdict, splits, frozenset(grouped.cut), config, work), engine, ledger)
    _note_cut(grouped.cut, done, ledger)
    return _weighed(table, read, done, grouped.group, splits, config, ledger)


def _read(names: list[str], config: ReleaseConfig, engine: Engine, work: Path, ledger: Ledger) -> list[SourceRows]:
    """Every source's rows, in the order of names; sources without files are noted."""
    folder = Path(config.sources)
    tasks = [ReadTask(name, str(folder), config.rows.get(name, config.max_rows), str(work)) for name in names]
    results = engine.map(read_source, tasks, [source_bytes(name, folder) for name in names])
    found = list(progress(results, "reading sources", len(tasks)))
    ledger.notes["missing_sources"] = [name for name, rows in zip(names, found, strict=True) if rows is None]
    read = [rows for rows in found if rows is not None]
    if not any(len(rows.columns.offset) for rows in read):
        raise SourceError(f"{config.sources}: no source file found; give the folder of the sources with --sources")
    for rows in read:
        ledger.add(rows.ledger)
    return read


def _tasks(
    table: Table,
    read: list[SourceRows],
    verdict: Codes,
    splits: Codes,
    cut: frozenset[int],
    config: ReleaseConfig,
    work: Path,
) -> Iterator[FinishTask]:
    """The rows of each source in stretches."""
    asks = table.question_begin
    row = 0
    for source in read:
        end = row + len(source.columns.offset)
        for begin in range(row, end, STRETCH):
            part = slice(begin, min(begin + STRETCH, end))
            yield FinishTask(
                spool=source.spool,
                work=str(work / f"{source.name}-{begin - row}.finished"),
                offset=table.rows.offset[part],
                size=table.rows.size[part],
                split=splits[part],
                question_count=table.rows.question_count[part],
                verdict=verdict[asks[part.start] : asks[part.stop]],
                cut=cut,
                config=config,
            )
        row = end


def _finish(tasks: Iterator[FinishTask], engine: Engine, ledger: Ledger) -> list[Finished]:
    listed = list(tasks)
    results = engine.map(finish, listed, [int(task.size.sum()) for task in listed])
    done = list(progress(results, "wording and counting", len(listed)))
    for part in done:
        ledger.add(part.ledger)
    return done


def _note_cut(cut: dict[int, int], done: list[Finished], ledger: Ledger) -> None:
    names = {digest(name): name for part in done for name in part.cut}
    uses = {names.get(key, f"{key:016x}"): count for key, count in cut.items()}
    ledger.notes["cut_keys"] = dict(sorted(uses.items(), key=lambda item: (-item[1], item[0])))


def _weighed(
    table: Table,
    read: list[SourceRows],
    done: list[Finished],
    group: np.ndarray,
    splits: Codes,
    config: ReleaseConfig,
    ledger: Ledger,
) -> Built:
    stays = np.concatenate([part.stays for part in done])
    size: Ints = np.concatenate([part.size for part in done])
    weights = weighing.weigh(table, stays, splits == PROTECTION.index("train"), config)
    rows = int((size > 0).sum())
    ledger.passed(weighing.STEP, rows, rows)
    return Built(
        source_names=[source.name for source in read],
        source_files={name: sha256 for source in read for name, sha256 in source.files.items()},
        spools=tuple(part.spool for part in done),
        spool=np.repeat(np.arange(len(done)), [len(part.size) for part in done]),
        offset=np.concatenate([part.offset for part in done]),
        size=size,
        sample=table.rows.sample,
        source=table.spool,
        capability=table.rows.capability,
        split=splits,
        group=group,
        scale=weights.scale,
        question_count=np.bincount(table.question_row[stays], minlength=len(table)),
        weight=weights.question[stays],
        budget=weights.budget,
    )


def _trains(rows: Built) -> np.ndarray:
    """Whether each source has a row in train."""
    trains = (rows.size > 0) & (rows.split == PROTECTION.index("train"))
    found: np.ndarray = np.bincount(rows.source[trains], minlength=len(rows.source_names)) > 0
    return found
