"""Counts of a release, taken from its rows as they are written, as JSON and as a page to read."""

from collections import Counter
from typing import Any

from searchjev.release.config import ReleaseConfig
from searchjev.release.files import SPLITS, IndexRow
from searchjev.release.item import Ledger
from searchjev.release.steps.weights import Budget
from searchjev.schema import Question, question_type

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 6144)
SIZES = (1, 3, 10, 30, 100, 1000)
TITLES = {
    "rows": "Rows", "questions": "Questions", "by_bucket": "Rows by bucket", "by_capability": "Rows by capability",
    "by_source": "Rows by source", "by_language": "Rows by script of the state", "by_tier": "Rows by label tier",
    "by_type": "Questions by type", "by_tokens": "Questions by tokens of the prompt",
}  # fmt: skip


class Counts:
    """Every table of the report, filled row by row: by the build from what it writes, by verify from the files."""

    def __init__(self) -> None:
        self.cells: Counter[tuple[str, str, str]] = Counter()
        self.groups: Counter[str] = Counter()

    def add(self, split: str, row: IndexRow, questions: dict[str, Question]) -> None:
        """Count one row and its questions."""
        self.groups[row.canonical_group] += 1
        for table, name in (
            ("rows", "all"), ("by_bucket", row.decision_bucket), ("by_capability", row.capability),
            ("by_source", row.source), ("by_language", row.language_heuristic), ("by_tier", row.label_tier),
        ):  # fmt: skip
            self.cells[table, name, split] += 1
        for name, question in questions.items():
            self.cells["questions", "all", split] += 1
            self.cells["by_type", question_type(question), split] += 1
            self.cells["by_tokens", _bin(row.token_preflight.tokens.get(name, 0), LENGTHS), split] += 1

    def merge(self, other: "Counts") -> None:
        """Add what another one counted."""
        self.cells.update(other.cells)
        self.groups.update(other.groups)

    def tables(self) -> dict[str, dict[str, dict[str, int]]]:
        """Counts by table, name and split, every one in a fixed order."""
        names = {table: sorted({name for t, name, _ in self.cells if t == table}) for table in TITLES}
        return {
            table: {name: {split: self.cells[table, name, split] for split in SPLITS} for name in names[table]}
            for table in TITLES
        }

    def group_sizes(self) -> dict[str, int]:
        """How many groups have so many rows."""
        return dict(sorted(Counter(_bin(size, SIZES) for size in self.groups.values()).items()))


def data_report(counts: Counts, ledger: Ledger, budget: Budget, config: ReleaseConfig) -> dict[str, Any]:
    """Every count by split, bucket, capability, source, script, type and length; flow and drops by reason."""
    return {
        "name": config.name,
        "release_version": config.release_version,
        **counts.tables(),
        "flow": ledger.flow,
        "drops": ledger.reasons(),
        "groups": {"count": len(counts.groups), "sizes": counts.group_sizes()},
        **ledger.notes,
        "budget": budget._asdict(),
    }


def report_page(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    budget, groups = report["budget"], report["groups"]
    shares = [
        [name, f"{wanted:.1%}", f"{budget['realised'][name]:.1%}", f"{budget['multiplier'][name]:.3f}"]
        for name, wanted in budget["target"].items()
    ]
    flow = [
        [step, *(f"{count[key]:,}" for key in ("read", "kept", "dropped"))] for step, count in report["flow"].items()
    ]
    parts = [f"# {report['name']} {report['release_version']}\n"]
    parts += [_table(title, list(SPLITS), _cells(report[key])) for key, title in TITLES.items()]
    parts.append(_table("Loss budget", ["wanted", "realised", "multiplier"], shares))
    parts.append(f"Capped buckets: {', '.join(budget['capped']) or 'none'}.\n")
    parts.append(_table("Steps", ["read", "kept", "dropped"], flow))
    parts.append(_table("Drops by step and reason", ["count"], [[k, f"{v:,}"] for k, v in report["drops"].items()]))
    parts.append(_table(f"Groups: {groups['count']:,}", ["count"], [[k, f"{v:,}"] for k, v in groups["sizes"].items()]))
    parts.append(_table("Keys cut", ["rows"], [[k, f"{v:,}"] for k, v in report["cut_keys"].items()]))
    for key, title in (("missing_sources", "Sources without files"), ("refused_sources", "Sources refused by licence")):
        parts.append(f"## {title}\n\n{', '.join(report[key]) or 'none'}\n")
    return "\n".join(parts)


def _cells(table: dict[str, dict[str, int]]) -> list[list[str]]:
    return [[name, *(f"{counts[split]:,}" for split in SPLITS)] for name, counts in table.items()]


def _table(title: str, columns: list[str], rows: list[list[str]]) -> str:
    head = [f"| | {' | '.join(columns)} |", "| --- |" + " ---: |" * len(columns)]
    body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"## {title}\n", *head, *body, ""])


def _bin(value: int, limits: tuple[int, ...]) -> str:
    most = next((most for most in limits if value <= most), None)
    return f"over {limits[-1]:5d}" if most is None else f"up to {most:4d}"
