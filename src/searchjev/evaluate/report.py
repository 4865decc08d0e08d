"""An evaluation as figures by slice, and as a page to read."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from searchjev.evaluate.baselines import Majority, Overlap
from searchjev.evaluate.bootstrap import group_interval
from searchjev.evaluate.cases import Case, read_cases
from searchjev.evaluate.metrics import figures, hit
from searchjev.evaluate.predict import Decider, predict
from searchjev.schema import BUCKETS

BASELINE_CASES = 20_000
"""Training cases that the baselines are fitted on."""

SLICES: dict[str, Callable[[Case], str]] = {
    "all": lambda case: "all",
    "by_track": lambda case: case.row.eval_track,
    "by_bucket": lambda case: case.row.decision_bucket,
    "by_capability": lambda case: case.row.capability,
    "by_type": lambda case: case.kind,
    "by_language": lambda case: case.row.language_heuristic,
    "by_source": lambda case: case.row.source,
}


def evaluate(model: Decider, release: Path, split: str = "test", limit: int | None = None) -> dict[str, Any]:
    """Figures of a model and of both baselines on the same cases, by slice; held-out sources also apart."""
    cases = read_cases(release, split, limit)
    found = predict(model, cases)
    answered = [(case, answer) for case, answer in zip(cases, found, strict=True) if answer is not None]
    train = read_cases(release, "train", BASELINE_CASES)
    majority, overlap = Majority(train), Overlap(train)
    rows = [_Judged(case, answer, majority.predict(case), overlap.predict(case)) for case, answer in answered]
    report: dict[str, Any] = {"split": split, "cases": len(cases), "too_long": len(cases) - len(answered)}
    for track in ("in_distribution", "held_out"):
        part = [row for row in rows if row.case.row.eval_track == track]
        report[track] = {name: _slices(part, key) for name, key in SLICES.items() if name != "by_track"}
    return report


class _Judged:
    def __init__(self, case: Case, model: list[float], majority: list[float], overlap: list[float]) -> None:
        self.case, self.model, self.majority, self.overlap = case, model, majority, overlap


def _slices(rows: Sequence[_Judged], key: Callable[[Case], str]) -> dict[str, dict[str, Any]]:
    parts: dict[str, list[_Judged]] = defaultdict(list)
    for row in rows:
        parts[key(row.case)].append(row)
    order = sorted(parts, key=lambda name: (BUCKETS.index(name) if name in BUCKETS else 99, name))
    return {name: _figures(parts[name]) for name in order}


def _figures(rows: Sequence[_Judged]) -> dict[str, Any]:
    wanted = [row.case.wanted for row in rows]
    found = figures([row.model for row in rows], wanted, [row.case.kind == "score" for row in rows])
    hits = [hit(row.model, row.case.wanted) for row in rows]
    interval = group_interval(hits, [row.case.row.canonical_group for row in rows])
    return {
        **found._asdict(),
        "accuracy_95": [interval.low, interval.high] if interval else None,
        "groups": len({row.case.row.canonical_group for row in rows}),
        "majority": sum(hit(row.majority, row.case.wanted) for row in rows) / len(rows),
        "overlap": sum(hit(row.overlap, row.case.wanted) for row in rows) / len(rows),
    }


def page(report: dict[str, Any], title: str) -> str:
    """The report as Markdown: buckets, then held-out sources, then everything else."""
    parts = [
        f"# {title}\n",
        f"{report['cases']:,} questions of `{report['split']}`; {report['too_long']:,} too long.\n",
    ]
    parts.append(readme_table(report))
    for track, heading in (("in_distribution", "Rows of trained sources"), ("held_out", "Held-out sources")):
        for name in ("by_type", "by_language", "by_capability", "by_source"):
            parts.append(f"## {heading}, {name.replace('_', ' ')}\n\n" + table(report[track][name]))
    parts.append(
        "Accuracy: ties share the hit. 95 %: groups resampled, none below 10 groups. ECE: 15 equal-width bins of top-1 "
        "confidence. Majority and overlap: fitted on training rows, see `evaluate/baselines.py`.\n"
    )
    return "\n".join(parts)


def readme_table(report: dict[str, Any]) -> str:
    """The table of the README: buckets on held-out rows, and every held-out source."""
    inside, outside = report["in_distribution"], report["held_out"]
    return (
        "**Held-out rows of trained sources**\n\n"
        + table({**inside["by_bucket"], **inside["all"]})
        + "\n**Sources that training never saw**\n\n"
        + table({**outside["by_bucket"], **outside["all"], **outside["by_source"]})
    )


def table(slices: dict[str, dict[str, Any]]) -> str:
    """Slices as a Markdown table; accuracy is bold where its interval clears both baselines."""
    lines = [
        "| | n | accuracy | 95 % | majority | overlap | NLL | ECE |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, f in slices.items():
        bounds = f["accuracy_95"]
        interval = f"{_three(bounds[0])} to {_three(bounds[1])}" if bounds else "-"
        clear = bounds is not None and bounds[0] > max(f["majority"], f["overlap"])
        accuracy = f"**{_three(f['accuracy'])}**" if clear else _three(f["accuracy"])
        cells = [accuracy, interval, *(_three(f[key]) for key in ("majority", "overlap", "nll", "ece"))]
        lines.append(f"| {name} | {f['n']:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"
