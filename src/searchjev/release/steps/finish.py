"""Steps 9 and 10 on the rows that stay: what left is written off, wordings are drawn, prompts are counted."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searchjev.digest import digest
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.release.spool import Spool, SpoolReader
from searchjev.release.steps import instructions
from searchjev.release.steps import preflight as counting
from searchjev.release.steps.verdicts import VERDICTS
from searchjev.release.table import PROTECTION, Codes, Flags, Ints

BATCH = 1_000
TEST = PROTECTION.index("test")


class FinishTask(NamedTuple):
    """Rows of one spool file: where they lie, their splits, the verdicts on their questions, and the cut keys."""

    spool: str
    work: str
    offset: Ints
    size: Ints
    split: Codes
    question_count: Ints
    verdict: Codes
    cut: frozenset[int]
    config: ReleaseConfig


class Finished(NamedTuple):
    """Where the finished rows lie (size 0: the row left), which questions are left, and the names of cut keys met."""

    spool: str
    offset: Ints
    size: Ints
    stays: Flags
    ledger: Ledger
    cut: set[str]


def finish(task: FinishTask) -> Finished:
    """Finish the rows of one task."""
    path = Path(task.work)
    ledger = Ledger()
    tokenizer = counting.open_tokenizer(Path(task.config.tokenizer).expanduser())
    offset, size = np.zeros_like(task.offset), np.zeros_like(task.size)
    stays: list[bool] = []
    cut = CutKeys(task.cut)
    with Spool(path) as spool:
        rows = _rows(task, ledger)
        while batch := list(islice(rows, BATCH)):
            asked = [list(row.item.questions) for row in batch]
            left = [_worded(row, task.config) for row in batch if row.item.questions]
            counting.preflight(left, tokenizer, task.config, ledger)
            for row, names in zip(batch, asked, strict=True):
                stays += [name in row.item.questions for name in names]
                if row.item.questions:
                    cut.leave(row.item)
                    offset[row.number], size[row.number] = spool.put(row.item)
            kept = sum(bool(item.questions) for item in left)
            ledger.passed(instructions.STEP, len(left), len(left))
            ledger.passed(counting.STEP, len(left), kept)
    flags = np.zeros(len(task.verdict), bool)
    flags[task.verdict == 0] = stays
    return Finished(str(path), offset, size, flags, ledger.spill(path.with_suffix(".rejects")), cut.names)


class _Row(NamedTuple):
    number: int
    item: Item
    split: int


def _rows(task: FinishTask, ledger: Ledger) -> Iterator[_Row]:
    """Every row with the questions that its verdicts leave it; the others are written off."""
    reader = SpoolReader([Path(task.spool)], Item)
    begin = 0
    for number, count in enumerate(task.question_count.tolist()):
        item = reader.get(0, int(task.offset[number]), int(task.size[number]))
        for name, verdict in zip(list(item.questions), task.verdict[begin : begin + count].tolist(), strict=True):
            if verdict:
                step, reason = VERDICTS[verdict]
                ledger.drop(item.source, f"{item.sample_id}#{name}", step, reason)
                item.leave(name)
        begin += count
        yield _Row(number, item, int(task.split[number]))
    reader.close()


def _worded(row: _Row, config: ReleaseConfig) -> Item:
    instructions.instruct(row.item, config, for_test=row.split == TEST)
    return row.item


class CutKeys:
    """Takes the cut keys off items and remembers their names."""

    def __init__(self, digests: frozenset[int]) -> None:
        self.digests = digests
        self.names: set[str] = set()

    def leave(self, item: Item) -> None:
        """Take cut keys off one item; one that has no other stands by itself."""
        if not self.digests:
            return
        cut = [key for key in item.keys if digest(key) in self.digests]
        self.names.update(cut)
        item.keys = [key for key in item.keys if key not in cut] or [own_key(item.sample_id)]


def own_key(sample_id: str) -> str:
    """Key of a row that no other key ties to anything."""
    return f"sample:{sample_id}"
