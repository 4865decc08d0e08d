"""What a calibration may be fitted on: rows that neither training nor the reported figures have seen."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from searchjev.bundle import BundleInfo
from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError, DataError
from searchjev.evaluate.cases import Case, read_keys

NAMED = 5
"""Rows that a refusal names."""


def check_release(info: BundleInfo, release: Path, *, any_release: bool) -> None:
    """Refuse a release that the bundle was not trained on: what is held out there may have been trained on."""
    found = file_sha256(release / "manifest.json")
    if not any_release and info.release_manifest_sha256 != found:
        raise ArtifactError(
            f"{release}: manifest {found[:12]}..., the bundle was trained on {info.release_manifest_sha256[:12]}...; "
            "give that release, or --any-release when you know that they share no rows"
        )


def check_groups(cases: Sequence[Case], release: Path) -> None:
    """Refuse rows that also stand in train or test, or whose group does, naming the first few and which it is."""
    for split in ("train", "test"):
        shared = sorted(_shared(cases, release, split))
        if shared:
            names = ", ".join(shared[:NAMED]) + (f" and {len(shared) - NAMED:,} more" if len(shared) > NAMED else "")
            raise DataError(
                f"{release}: calibration rows are not held out of {split}: {names}; build the release again"
            )


def _shared(cases: Sequence[Case], release: Path, split: str) -> Iterator[str]:
    keys = list(read_keys(release, split))
    ids, groups = {key.sample_id for key in keys}, {key.canonical_group for key in keys}
    for sample_id, group in {(case.row.sample_id, case.row.canonical_group) for case in cases}:
        if sample_id in ids:
            yield f"{sample_id} (same row)"
        elif group in groups:
            yield f"{sample_id} (same group)"
