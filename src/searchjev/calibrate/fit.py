"""A bundle's calibration from val rows that training never saw, half of the weight on sources that it never saw."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from searchjev.bundle import BundleInfo, Calibration
from searchjev.calibrate.held_out import check_groups, check_release
from searchjev.calibrate.temperature import fit_temperature, softmax
from searchjev.digest import digest, file_sha256
from searchjev.errors import DataError
from searchjev.evaluate.cases import Case, balanced, group_digest, read_cases
from searchjev.evaluate.metrics import figures
from searchjev.evaluate.predict import Decider, predict_logits

Scored = tuple[Case, list[float]]


class TypeReport(NamedTuple):
    """What calibration did to one question type, on the rows it was fitted on; `flag` as in `Temperature`."""

    kind: str
    n: int
    temperature: float
    flag: str | None
    nll_before: float
    nll_after: float
    ece_before: float
    ece_after: float


class Fitted(NamedTuple):
    """The calibration and what it did."""

    calibration: Calibration
    reports: list[TypeReport]


def calibrate(model: Decider, info: BundleInfo, release: Path, limit: int, *, any_release: bool = False) -> Fitted:
    """Fit one temperature a type on at most `limit` val questions; groups shared with train or test are refused."""
    check_release(info, release, any_release=any_release)
    cases = choose(read_cases(release, "val"), limit)
    if not cases:
        raise DataError(f"{release}: no eligible val question; build a release with a val split")
    check_groups(cases, release)
    logits = predict_logits(model, cases)
    found = [(case, z) for case, z in zip(cases, logits, strict=True) if z is not None]
    reports = [report for kind in ("noul", "choice", "score") if (report := _fit(kind, found)) is not None]
    return Fitted(_calibration(info, release, found, reports), reports)


def choose(cases: Sequence[Case], limit: int) -> list[Case]:
    """Half of the limit from sources that training never saw, half from the others, each balanced over sources."""
    unseen = balanced([case for case in cases if case.is_held_out], limit // 2)
    seen = balanced([case for case in cases if not case.is_held_out], limit - len(unseen))
    return unseen + seen


def _calibration(
    info: BundleInfo, release: Path, found: Sequence[Scored], reports: Sequence[TypeReport]
) -> Calibration:
    unseen = sum(case.is_held_out for case, _ in found)
    draft = Calibration(
        id="",
        model_sha256=info.model_sha256,
        prompt_version=info.prompt_version,
        temperature={report.kind: round(report.temperature, 6) for report in reports},
        counts={report.kind: report.n for report in reports},
        flags={report.kind: report.flag for report in reports if report.flag},
        fitted_on=f"{len(found)} val questions, {unseen} of them from sources never trained on with half of the weight",
        release_manifest_sha256=file_sha256(release / "manifest.json"),
        trained_on_manifest_sha256=info.release_manifest_sha256,
        groups=sorted({group_digest(case) for case, _ in found}),
    )
    return msgspec.structs.replace(draft, id=f"t-{digest(msgspec.json.encode(draft).decode()):016x}")


def _fit(kind: str, found: Sequence[Scored]) -> TypeReport | None:
    own = [(case, z) for case, z in found if case.kind == kind and len(z) > 1]
    if not own:
        return None
    logits, wanted = [z for _, z in own], [case.wanted for case, _ in own]
    weights = _weights([case.is_held_out for case, _ in own])
    ordered = kind == "score"
    t, flag = fit_temperature(logits, wanted, weights, ordered=ordered)
    before = figures([softmax(z) for z in logits], wanted, [ordered] * len(own))
    after = figures([softmax(z, t) for z in logits], wanted, [ordered] * len(own))
    return TypeReport(kind, len(own), t, flag, before.nll, after.nll, before.ece, after.ece)


def _weights(is_held_out: Sequence[bool]) -> list[float]:
    """Equal total weight for cases of held-out and of other sources, where both occur."""
    unseen = sum(is_held_out)
    seen = len(is_held_out) - unseen
    if not unseen or not seen:
        return [1.0] * len(is_held_out)
    return [1 / unseen if held else 1 / seen for held in is_held_out]
