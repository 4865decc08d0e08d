"""A claim of a release, what was found instead, and the first place where it fails."""

from collections.abc import Iterable
from typing import NamedTuple

from searchjev.release.files import Line


class Claim(NamedTuple):
    """One statement about a release: as it is stated, as it is found, and where it first fails (None: it holds).

    `checked` is False where it could not be looked at; `found` then says why.
    """

    name: str
    stated: str
    found: str
    failed_at: str | None = None
    checked: bool = True

    @property
    def verdict(self) -> str:
        """Return holds, fails or not checked."""
        if not self.checked:
            return "not checked"
        return "holds" if self.failed_at is None else "fails"


class Place(NamedTuple):
    """A line of the release: which split's files, which number from 1, and at which byte of the data file."""

    split: str
    number: int
    offset: int = 0

    def in_data(self, field: str) -> str:
        """Place of a field in the data file."""
        return f"{self.split}.jsonl, line {self.number}, {field}"

    def in_index(self, field: str) -> str:
        """Place of a field in the index file."""
        return f"{self.split}_index.jsonl, line {self.number}, {field}"


class Check:
    """A claim about every line: sees each one, and says at the end what it found."""

    name = ""
    stated = ""

    def __init__(self) -> None:
        self.seen = 0
        self.failures = 0
        self.failed_at: str | None = None

    def see(self, at: Place, line: Line) -> None:
        """Look at one line of train, val or test."""
        raise NotImplementedError

    def fail(self, where: str) -> None:
        """Count a failure and keep the first one's place."""
        self.failures += 1
        self.failed_at = self.failed_at or where

    def expect(self, holds: bool, where: str) -> None:
        """Count one thing looked at, and a failure unless it holds."""
        self.seen += 1
        if not holds:
            self.fail(where)

    def claims(self) -> Iterable[Claim]:
        """Return what became of the claim."""
        found = f"{self.failures:,} of {self.seen:,} fail" if self.failures else f"{self.seen:,} checked"
        return [Claim(self.name, self.stated, found, self.failed_at)]
