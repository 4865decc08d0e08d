"""Counts of a release as JSON and as a page to read."""

from collections import Counter
from typing import Any

from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.release.steps.weights import Budget
from searchjev.schema import CAPABILITIES, question_type

LENGTHS = (64, 128, 256, 512, 1024, 2048, 6144)


def data_report(items: list[Item], ledger: Ledger, budget: Budget, config: ReleaseConfig) -> dict[str, Any]:
    """Every count by split, bucket, capability, source, language, type and length; flow and drops by reason."""
    return {
        "name": config.name,
        "release_version": config.release_version,
        "rows": _by(items, lambda item: "all"),
        "questions": _questions(items, lambda item, name: "all"),
        "by_bucket": _by(items, lambda item: CAPABILITIES[item.row.capability]),
        "by_capability": _by(items, lambda item: item.row.capability),
        "by_source": _by(items, lambda item: item.source),
        "by_language": _by(items, lambda item: item.row.language),
        "by_type": _questions(items, lambda item, name: question_type(item.questions[name])),
        "by_tokens": _questions(items, lambda item, name: _length(item.tokens[name])),
        "flow": ledger.flow,
        "drops": ledger.reasons(),
        "groups": {"count": len({item.group for item in items}), **ledger.notes},
        "budget": budget._asdict(),
    }


def report_page(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    parts = [f"# {report['name']} {report['release_version']}\n"]
    for title, key in (
        ("Rows", "rows"), ("Questions", "questions"), ("Rows by bucket", "by_bucket"),
        ("Rows by capability", "by_capability"), ("Rows by source", "by_source"), ("Rows by language", "by_language"),
        ("Questions by type", "by_type"), ("Questions by tokens", "by_tokens"),
    ):  # fmt: skip
        lines = [f"| {name} | {_cells(counts)} |" for name, counts in report[key].items()]
        parts.append(
            "\n".join([f"## {title}\n", "| | train | val | test |", "| --- | ---: | ---: | ---: |", *lines, ""])
        )
    budget = report["budget"]
    lines = [
        f"| {b} | {budget['target'][b]:.1%} | {budget['realised'][b]:.1%} | {budget['multiplier'][b]:.3f} |"
        for b in budget["target"]
    ]
    parts.append(
        "\n".join(
            [
                "## Loss budget\n",
                "| bucket | wanted | realised | multiplier |",
                "| --- | ---: | ---: | ---: |",
                *lines,
                "",
            ]
        )
    )
    parts.append("\n".join(["## Drops\n", *(f"- {name}: {count:,}" for name, count in report["drops"].items()), ""]))
    return "\n".join(parts)


def _cells(counts: dict[str, int]) -> str:
    return " | ".join(f"{counts.get(split, 0):,}" for split in ("train", "val", "test"))


def _by(items: list[Item], key: Any) -> dict[str, dict[str, int]]:  # noqa: ANN401
    return _table(Counter((key(item), item.split) for item in items))


def _questions(items: list[Item], key: Any) -> dict[str, dict[str, int]]:  # noqa: ANN401
    return _table(Counter((key(item, name), item.split) for item in items for name in item.questions))


def _table(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    names = sorted({name for name, _ in counts})
    return {name: {split: counts[name, split] for split in ("train", "val", "test")} for name in names}


def _length(tokens: int) -> str:
    return next(f"up to {most:4d}" for most in LENGTHS if tokens <= most)
