"""One evaluation: a model and both baselines on the same questions of a release."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from searchjev.errors import DataError
from searchjev.evaluate.audit import audit
from searchjev.evaluate.baselines import Majority, Overlap
from searchjev.evaluate.cases import group_digest, read_cases
from searchjev.evaluate.predict import Decider, predict
from searchjev.evaluate.slices import Judged, reliability_of, slices

BASELINE_CASES = 40_000
"""Training questions that the baselines are fitted on."""

TRACKS = ("in_distribution", "held_out")


def evaluate(
    model: Decider,
    release: Path,
    split: str = "test",
    limit: int | None = None,
    *,
    calibrated_on: Collection[str] = (),
) -> dict[str, Any]:
    """Report of a model on a split; rows whose group digest is in `calibrated_on` are left out and counted."""
    fitted = frozenset(calibrated_on)
    found = read_cases(release, split, limit)
    cases = [case for case in found if group_digest(case) not in fitted] if fitted else found
    if not cases:
        raise DataError(
            f"{release}: no eligible question of {split} to evaluate on; build a release with a {split} split"
        )
    answers = predict(model, cases)
    train = read_cases(release, "train", BASELINE_CASES)
    majority, overlap = Majority(train), Overlap(train)
    rows = [
        Judged(case, answer, majority.predict(case), overlap.predict(case))
        for case, answer in zip(cases, answers, strict=True)
        if answer is not None
    ]
    report: dict[str, Any] = {
        "split": split,
        "cases": len(found),
        "calibrated_on": len(found) - len(cases),
        "too_long": len(cases) - len(rows),
        "resampling": "canonical groups",
    }
    for track in TRACKS:
        part = [row for row in rows if row.case.row.eval_track == track]
        report[track] = {**slices(part), "reliability": reliability_of(part) if part else []}
    return report | {"audit": audit(model, [(row.case, row.model) for row in rows])}
