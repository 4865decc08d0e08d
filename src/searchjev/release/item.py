"""A row on its way through the steps, and the ledger of what the steps read, keep and drop."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from searchjev.schema import Answer, Language, Question, State
from searchjev.source import SplitName, Tier

SEPARATORS = (("\u2028", b"\\u2028"), ("\u2029", b"\\u2029"), ("\u0085", b"\\u0085"))
"""Any line reader must agree on the lines: these three count as line ends for some."""


class Item(msgspec.Struct, kw_only=True):
    """One row with what the steps have found out about it so far; it lies on disk between two steps."""

    sample_id: str
    source: str
    capability: str
    language: Language
    tier: Tier
    origin: Literal["native", "derived", "mined", "translated", "synth_v1", "synth_tas"]
    difficulty: int
    agreement: Mapping[str, float]
    protection: SplitName | None
    mother: str
    keys: list[str]
    state: State
    questions: dict[str, Question]
    answers: dict[str, Answer]
    tokens: dict[str, int] = {}

    def leave(self, name: str) -> None:
        """Take one question away, with its answer."""
        self.questions = {n: question for n, question in self.questions.items() if n != name}
        self.answers = {n: answer for n, answer in self.answers.items() if n != name}
        self.tokens = {n: count for n, count in self.tokens.items() if n != name}


class Reject(NamedTuple):
    """A dropped record, row or question: where it came from, which step, why."""

    source: str
    where: str
    step: str
    reason: str


class Ledger(msgspec.Struct):
    """What one task of a build dropped and counted; tasks' ledgers add up to the build's."""

    rejects: list[Reject] = msgspec.field(default_factory=list)
    files: list[str] = msgspec.field(default_factory=list)
    counted: Counter[str] = msgspec.field(default_factory=Counter)
    flow: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    notes: dict[str, Any] = msgspec.field(default_factory=dict)

    def drop(self, source: str, where: str, step: str, reason: str) -> None:
        """Record one drop."""
        self.rejects.append(Reject(source, where, step, reason))

    def passed(self, step: str, read: int, kept: int) -> None:
        """Add what a step read and kept."""
        count = self.flow.setdefault(step, {"read": 0, "kept": 0, "dropped": 0})
        for name, value in (("read", read), ("kept", kept), ("dropped", read - kept)):
            count[name] += value

    def spill(self, path: Path) -> "Ledger":
        """Write the rejects to a file, sorted, and keep their counts alone; returns the ledger."""
        if self.rejects:
            lines = sorted(one_line(reject._asdict()) for reject in self.rejects)
            path.write_bytes(b"".join(lines))
            self.files.append(str(path))
            self.counted.update(f"{reject.step}: {reject.reason}" for reject in self.rejects)
            self.rejects = []
        return self

    def reasons(self) -> dict[str, int]:
        """Count drops by step and reason; those not yet written to a file are not among them."""
        return dict(sorted(self.counted.items()))

    def add(self, other: "Ledger") -> None:
        """Take in the counts and files of another ledger."""
        self.files += other.files
        self.counted.update(other.counted)
        for step, count in other.flow.items():
            self.passed(step, count["read"], count["kept"])


def one_line(value: object) -> bytes:
    """JSON of a value and a line end, with the separators escaped."""
    data = msgspec.json.encode(value)
    for character, escaped in SEPARATORS:
        data = data.replace(character.encode(), escaped)
    return data + b"\n"
