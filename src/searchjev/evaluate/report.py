"""An evaluation's report as a page to read, and as the table of a README."""

from typing import Any

NOTES = (
    "Accuracy: ties share the hit; bold where the interval of the gain over the best of majority, overlap and chance "
    "lies above 0. 95 %: canonical groups resampled, no interval below 10 groups. ECE: 15 equal-width bins of top-1 "
    "confidence, right edge included. Answerable at 5 % error: largest share of the most confident answers with at "
    "most 5 % wrong, seen afterwards, no guarantee. Majority and overlap: fitted on training rows, see "
    "`evaluate/baselines.py`.\n"
)


def page(report: dict[str, Any], title: str) -> str:
    """The report as Markdown: buckets and held-out sources, then every other slice, then the audit."""
    left = f"; {report['calibrated_on']:,} left out because the calibration was fitted on them"
    parts = [
        f"# {title}\n",
        f"{report['cases']:,} questions of `{report['split']}`; {report['too_long']:,} too long for the model"
        + (left if report["calibrated_on"] else "")
        + ".\n",
        readme_table(report),
    ]
    for track, heading in (("in_distribution", "Rows of trained sources"), ("held_out", "Held-out sources")):
        for name in ("by_type", "by_language", "by_capability", "by_source"):
            parts.append(f"## {heading}, {name.replace('_', ' ')}\n\n" + table(report[track][name]))
        parts.append(f"## {heading}: more figures by type\n\n" + _more(report[track]["by_type"]))
        parts.append(f"## {heading}: reliability\n\n" + _reliability(report[track]["reliability"]))
    return "\n".join([*parts, _audit(report["audit"]), NOTES])


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
    """Slices as a Markdown table; accuracy is bold where the gain over the best rival is surely above 0."""
    lines = [
        "| | n | accuracy | 95 % | majority | overlap | NLL | ECE |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, f in slices.items():
        bounds, gain = f["accuracy_95"], f["gain_95"]
        interval = f"{_three(bounds[0])} to {_three(bounds[1])}" if bounds else "-"
        accuracy = f"**{_three(f['accuracy'])}**" if gain and gain[0] > 0 else _three(f["accuracy"])
        cells = [accuracy, interval, *(_three(f[key]) for key in ("majority", "overlap", "nll", "ece"))]
        lines.append(f"| {name} | {f['n']:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _more(slices: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| | groups | ties | Brier | RPS | MAE | AURC | answerable at 5 % error |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, f in slices.items():
        cells = [_three(f[key]) if f[key] is not None else "-" for key in ("brier", "rps", "mae", "aurc", "coverage_5")]
        lines.append(f"| {name} | {f['groups']:,} | {f['ties']:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _reliability(bins: list[dict[str, Any]]) -> str:
    lines = ["| confidence | n | mean confidence | accuracy |", "| --- | ---: | ---: | ---: |"]
    for b in bins:
        lines.append(
            f"| {_three(b['low'])} to {_three(b['high'])} | {b['n']:,} "
            f"| {_three(b['confidence'])} | {_three(b['accuracy'])} |"
        )
    return "\n".join(lines) + "\n"


def _audit(found: dict[str, Any]) -> str:
    pairs = found["contrast_pairs_both_right"].items()
    lines = ["## Audit: does the state decide?\n", "| labels, in order | pairs with both right |", "| --- | ---: |"]
    lines += [f"| {name} | {_three(share)} |" for name, share in pairs]
    blank = ", ".join(f"`{state}` {_three(p)}" for state, p in found["blank_states"].items())
    same = "; ".join(f"{name} {', '.join(map(_three, p))}" for name, p in found["identical_options"].items())
    lines += [f"\nP(true) of blank states: {blank}. Options with one text: {same}.\n"]
    lines += [f"- {failure}" for failure in found["failures"]] or ["Nothing failed."]
    return "\n".join(lines) + "\n"


def _three(value: float) -> str:
    text = f"{value:.3f}"
    return text.removeprefix("0") if text.startswith("0.") else text
