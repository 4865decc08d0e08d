"""Claims of the change log: rows stand where it says, and the history counts its lines."""

from collections import Counter
from pathlib import Path

import msgspec

from searchjev.digest import digest
from searchjev.release.changes import HISTORY, KINDS, Change
from searchjev.release.files import SPLITS, Line, Manifest, read_document
from searchjev.release.verify.claim import Check, Claim, Place


class Changes(Check):
    """Notes the split of every row and holds changes.jsonl against it."""

    name, stated = "changes", "every changed row is where the log says; counts as in the history"

    def __init__(self, release: Path, manifest: Manifest) -> None:
        super().__init__()
        self.release, self.manifest = release, manifest
        self.split_of: dict[int, int] = {}

    def see(self, at: Place, line: Line) -> None:
        """Note the row's split."""
        self.split_of[digest(line.row.sample_id)] = SPLITS.index(at.split)

    def claims(self) -> list[Claim]:
        """Look at every line of the log, and at the history."""
        counts: Counter[str] = Counter()
        with (self.release / "changes.jsonl").open("rb") as lines:
            for number, line in enumerate(lines, 1):
                self._see(msgspec.json.decode(line, type=Change), f"changes.jsonl, line {number}", counts)
        last = read_document(self.release / HISTORY)["versions"][-1]
        stated = last["changes"] or dict.fromkeys(KINDS, 0)
        self.expect(stated == {kind: counts[kind] for kind in KINDS}, f"{HISTORY}, changes")
        self.expect(last["rows"] == self.manifest.counts["rows"], f"{HISTORY}, rows")
        return list(super().claims())

    def _see(self, change: Change, where: str, counts: Counter[str]) -> None:
        counts[change.change] += 1
        place = self.split_of.get(digest(change.sample_id))
        found = None if place is None else SPLITS[place]
        self.expect(change.change in KINDS and bool(change.reason) and found == change.after, f"{where}, after")
