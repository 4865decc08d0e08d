"""A row on its way through the steps, and the ledger of what the steps drop."""

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from searchjev.schema import Answer, Question, State
from searchjev.source import Row, SplitName


class Item(msgspec.Struct, kw_only=True):
    """One row with what the steps have found out about it so far."""

    sample_id: str
    source: str
    held_out: SplitName | None
    row: Row
    state: State
    questions: dict[str, Question]
    answers: dict[str, Answer]
    mother: str
    keys: list[str]
    group: str = ""
    split: SplitName = "train"
    labels: dict[str, str] = {}
    tokens: dict[str, int] = {}
    weights: dict[str, float] = {}
    scale: float = 1.0


class Reject(NamedTuple):
    """A dropped record, row or question: where it came from, which step, why."""

    source: str
    where: str
    step: str
    reason: str


class Ledger:
    """Every drop of a build, and what each step read, kept and dropped."""

    def __init__(self) -> None:
        self.rejects: list[Reject] = []
        self.flow: dict[str, dict[str, int]] = {}
        self.notes: dict[str, Any] = {}

    def drop(self, source: str, where: str, step: str, reason: str) -> None:
        """Record one drop."""
        self.rejects.append(Reject(source, where, step, reason))

    def passed(self, step: str, read: int, kept: int) -> None:
        """Record what a step read and kept."""
        self.flow[step] = {"read": read, "kept": kept, "dropped": read - kept}

    def reasons(self) -> dict[str, int]:
        """Count drops by step and reason."""
        return dict(sorted(Counter(f"{reject.step}: {reject.reason}" for reject in self.rejects).items()))
