"""Judged cases, and their figures by slice beside both baselines."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from searchjev.evaluate.bootstrap import Interval, group_interval
from searchjev.evaluate.cases import Case
from searchjev.evaluate.metrics import agreement, figures, hit, reliability
from searchjev.schema import BUCKETS

SLICES: dict[str, Callable[[Case], str]] = {
    "all": lambda case: "all",
    "by_bucket": lambda case: case.row.decision_bucket,
    "by_capability": lambda case: case.row.capability,
    "by_type": lambda case: case.kind,
    "by_language": lambda case: case.row.language_heuristic,
    "by_source": lambda case: case.row.source,
}


class Judged(NamedTuple):
    """A case with the model's distribution and both baselines'."""

    case: Case
    model: list[float]
    majority: list[float]
    overlap: list[float]


def slices(rows: Sequence[Judged]) -> dict[str, dict[str, dict[str, Any]]]:
    """Figures of every slice that has rows, by name of the slicing."""
    return {name: _slices(rows, key) for name, key in SLICES.items()}


def slice_figures(rows: Sequence[Judged]) -> dict[str, Any]:
    """Figures of one slice; `gain_95` is the interval of accuracy minus the better of baselines and chance."""
    wanted = [row.case.wanted for row in rows]
    groups = [row.case.row.canonical_group for row in rows]
    hits = [hit(row.model, row.case.wanted) for row in rows]
    rivals = {
        "majority": [hit(row.majority, row.case.wanted) for row in rows],
        "overlap": [hit(row.overlap, row.case.wanted) for row in rows],
        "chance": [1 / len(row.case.wanted) for row in rows],
    }
    best = max(rivals.values(), key=sum)
    found = figures([row.model for row in rows], wanted, [row.case.kind == "score" for row in rows])
    return {
        **found._asdict(),
        **{name: sum(values) / len(rows) for name, values in rivals.items()},
        "groups": len(set(groups)),
        "accuracy_95": _pair(group_interval(hits, groups)),
        "gain_95": _pair(group_interval([h - b for h, b in zip(hits, best, strict=True)], groups)),
    }


def reliability_of(rows: Sequence[Judged]) -> list[dict[str, Any]]:
    """Non-empty bins of top-1 confidence with their accuracy."""
    hits = [agreement(row.model, row.case.wanted) for row in rows]
    return [b._asdict() for b in reliability([max(row.model) for row in rows], hits) if b.n]


def _slices(rows: Sequence[Judged], key: Callable[[Case], str]) -> dict[str, dict[str, Any]]:
    parts: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        parts[key(row.case)].append(row)
    order = sorted(parts, key=lambda name: (BUCKETS.index(name) if name in BUCKETS else 99, name))
    return {name: slice_figures(parts[name]) for name in order}


def _pair(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval else None
