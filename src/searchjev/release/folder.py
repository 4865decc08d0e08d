"""`replaced(out)`: a release folder that is written beside the old one and takes its place when it is whole."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from searchjev.errors import ArtifactError
from searchjev.release.files import read_manifest


@contextmanager
def replaced(out: Path) -> Iterator[Path]:
    """A folder OUT.building to work in; its `release` becomes OUT at the end, if nothing fails.

    What an earlier build left there is cleared away. An OUT that holds anything but a release is an error.
    """
    building, old = out.with_name(f"{out.name}.building"), out.with_name(f"{out.name}.old")
    if old.exists() and not out.exists():
        # cut short between the two renames at the end
        old.rename(out)
    _check(out)
    for left in (building, old):
        shutil.rmtree(left, ignore_errors=True)
    building.mkdir(parents=True)
    try:
        yield building
        if out.exists():
            out.rename(old)
        (building / "release").rename(out)
    finally:
        for left in (building, old):
            shutil.rmtree(left, ignore_errors=True)


def _check(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise ArtifactError(f"{out}: a file; expected a folder for the release, or none; give another with --out")
    known: set[str] = set()
    if (out / "manifest.json").is_file():
        known = {"manifest.json", *read_manifest(out).files}
    extra = sorted(path.name for path in out.iterdir() if path.name not in known)
    if extra:
        raise ArtifactError(
            f"{out}: holds {extra[0]}, which no release's manifest names; move it away, or give another --out"
        )
