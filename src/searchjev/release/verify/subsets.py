"""Claims about the model-selection and calibration sets: val rows as they are, disjoint groups, nothing given away."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec

from searchjev.digest import digest
from searchjev.release.files import Line
from searchjev.release.verify.claim import Check, Claim, Place
from searchjev.release.verify.files import Lines, Seen


class Subsets(Check):
    """Notes the val rows and the groups of all splits, and then reads the two sets."""

    name, stated = "model selection", "val rows as they are, one a group"

    def __init__(self, release: Path, lines: Lines) -> None:
        super().__init__()
        self.release, self.lines = release, lines
        self.val: dict[str, tuple[int, str]] = {}
        self.test_groups: set[str] = set()
        self.groups_of: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self.selection_groups: set[str] = set()
        self.calibration_groups: set[str] = set()

    def see(self, at: Place, line: Line) -> None:
        """Note a row's group; of a val row, what the sets must repeat."""
        if at.split == "test":
            self.test_groups.add(line.row.canonical_group)
        elif at.split == "val":
            sample = line.sample
            self.val[line.row.sample_id] = (
                _identity(sample.state, sample.questions, sample.answers),
                (line.row.canonical_group),
            )
            self.groups_of["source", line.row.source].add(line.row.canonical_group)
            self.groups_of["capability", line.row.capability].add(line.row.canonical_group)

    def claims(self) -> list[Claim]:
        """Read the sets and return what was found."""
        selection = list(self.lines.read("model_selection"))
        for seen in selection:
            self._selected(seen)
        own = list(super().claims())
        calibration = self._calibration()
        return [*own, *self._coverage([seen.line for seen in selection]), *calibration]

    def _selected(self, seen: Seen) -> None:
        row, sample = seen.line.row, seen.line.sample
        known = self.val.get(row.sample_id)
        same = known is not None and known[0] == _identity(sample.state, sample.questions, sample.answers)
        self.expect(same, seen.at.in_index("sample_id"))
        self.expect(row.canonical_group not in self.selection_groups, seen.at.in_index("canonical_group"))
        self.selection_groups.add(row.canonical_group)

    def _coverage(self, lines: list[Line]) -> list[Claim]:
        """Nothing of val is left out, unless every group that has it is used for something else."""
        used = self.selection_groups | self.calibration_groups
        out = []
        for kind in ("source", "capability"):
            found = {getattr(line.row, kind) for line in lines}
            wanted = {name: groups for (k, name), groups in self.groups_of.items() if k == kind}
            free = sorted(name for name, groups in wanted.items() if name not in found and groups - used)
            where = f"model_selection_index.jsonl, no row of {kind} {free[0]}" if free else None
            shown = f"{len(found & wanted.keys())} of {len(wanted)}"
            out.append(Claim(f"{kind} coverage", "every one in val that has a free group", shown, where))
        return out

    def _calibration(self) -> list[Claim]:
        files = [self.release / f"calibration_{name}.jsonl" for name in ("blind", "reference")]
        if not all(path.is_file() for path in files):
            return [Claim("calibration", "blind and reference, line by line", "missing", "calibration_blind.jsonl")]
        blind, reference = ([msgspec.json.decode(line) for line in path.read_bytes().splitlines()] for path in files)
        failed = None if len(blind) == len(reference) else "calibration_reference.jsonl: other number of lines"
        for number, (row, answer) in enumerate(zip(blind, reference, strict=False), 1):
            failed = failed or self._calibrates(number, row, answer)
        return [Claim("calibration", "blind val rows; groups apart from selection and test", f"{len(blind):,}", failed)]

    def _calibrates(self, number: int, row: dict[str, Any], answer: dict[str, Any]) -> str | None:
        place = f"calibration_blind.jsonl, line {number}"
        if set(row) != {"sample_id", "state", "questions"}:
            return f"{place}, fields {sorted(row)}"
        known = self.val.get(row["sample_id"])
        self.calibration_groups.add(answer["canonical_group"])
        if known is None or known[0] != _identity(row["state"], row["questions"], answer["answers"]):
            return f"{place}, sample_id"
        if row["sample_id"] != answer["sample_id"] or answer["canonical_group"] != known[1]:
            return f"calibration_reference.jsonl, line {number}, sample_id or canonical_group"
        if known[1] in self.selection_groups or known[1] in self.test_groups:
            return f"calibration_reference.jsonl, line {number}, canonical_group"
        return None


def _identity(*values: object) -> int:
    return digest(msgspec.json.encode(values).decode())
