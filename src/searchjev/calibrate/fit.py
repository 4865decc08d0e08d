"""A bundle's calibration from val rows that training never saw, half of the weight on sources that it never saw."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from searchjev.bundle import BundleInfo, Calibration
from searchjev.calibrate.temperature import fit_temperature, softmax
from searchjev.digest import digest, file_sha256
from searchjev.errors import ArtifactError, DataError
from searchjev.evaluate.cases import Case, balanced, read_cases
from searchjev.evaluate.metrics import figures
from searchjev.evaluate.predict import Decider, predict_logits
from searchjev.release.files import read_lines

LEAST = 50
"""Fewer cases of a type keep T = 1."""


class TypeReport(NamedTuple):
    """What calibration did to one question type, on the rows it was fitted on."""

    kind: str
    n: int
    temperature: float
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
    groups = sorted({f"{digest(case.row.canonical_group):016x}" for case, _ in found})
    draft = Calibration(
        id="",
        model_sha256=info.model_sha256,
        prompt_version=info.prompt_version,
        temperature={report.kind: round(report.temperature, 6) for report in reports},
        counts={report.kind: report.n for report in reports},
        fitted_on="val rows, half of the weight on held-out sources",
        release_manifest_sha256=file_sha256(release / "manifest.json"),
        groups=groups,
    )
    identity = f"t-{digest(msgspec.json.encode(draft).decode()):016x}"
    return Fitted(msgspec.structs.replace(draft, id=identity), reports)


def check_release(info: BundleInfo, release: Path, *, any_release: bool) -> None:
    """Refuse a release that the bundle was not trained on: what is held out there may have been trained on."""
    found = file_sha256(release / "manifest.json")
    if not any_release and info.release_manifest_sha256 != found:
        raise ArtifactError(
            f"{release}: manifest {found[:12]}..., the bundle was trained on {info.release_manifest_sha256[:12]}...; "
            "give that release, or --any-release when you know that they share no rows"
        )


def choose(cases: Sequence[Case], limit: int) -> list[Case]:
    """Half of the limit from sources that training never saw, half from the others, each balanced over sources."""
    unseen = balanced([case for case in cases if case.is_held_out], limit // 2)
    seen = balanced([case for case in cases if not case.is_held_out], limit - len(unseen))
    return unseen + seen


def check_groups(cases: Sequence[Case], release: Path) -> None:
    """Refuse rows whose group also stands in train or test, naming the first few."""
    ours = {case.row.canonical_group: case.row.sample_id for case in cases}
    ids = {case.row.sample_id for case in cases}
    for split in ("train", "test"):
        shared = [row for _, row in read_lines(release, split) if row.canonical_group in ours or row.sample_id in ids]
        if shared:
            names = ", ".join(sorted({ours.get(row.canonical_group, row.sample_id) for row in shared})[:5])
            raise DataError(f"{release}: calibration rows share a group with {split}: {names}; build the release again")


def _fit(kind: str, found: Sequence[tuple[Case, list[float]]]) -> TypeReport | None:
    own = [(case, z) for case, z in found if case.kind == kind and len(z) > 1]
    if not own:
        return None
    logits, wanted = [z for _, z in own], [case.wanted for case, _ in own]
    weights = _weights([case.is_held_out for case, _ in own])
    ordered = kind == "score"
    t = fit_temperature(logits, wanted, weights, ordered=ordered) if len(own) >= LEAST else 1.0
    before = figures([softmax(z) for z in logits], wanted, [ordered] * len(own))
    after = figures([softmax(z, t) for z in logits], wanted, [ordered] * len(own))
    return TypeReport(kind, len(own), t, before.nll, after.nll, before.ece, after.ece)


def _weights(is_held_out: Sequence[bool]) -> list[float]:
    """Equal total weight for cases of held-out and of other sources, where both occur."""
    unseen = sum(is_held_out)
    seen = len(is_held_out) - unseen
    if not unseen or not seen:
        return [1.0] * len(is_held_out)
    return [1 / unseen if held else 1 / seen for held in is_held_out]
