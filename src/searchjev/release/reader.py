"""`Release.open(DIR)`: a release directory, ours or one published in the same form, to read in Python."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError
from searchjev.release.config import SHARES
from searchjev.release.files import SPLITS, IndexRow, Line, read_document
from searchjev.release.foreign import foreign_line
from searchjev.schema import Sample

MULTIPLIERS = (
    ("manifest.json", "bucket_multiplier"),
    ("training_config.json", "bucket_multiplier"),
    ("training_config.json", "bucket_multipliers"),
    ("budget.json", "multiplier"),
)
"""Documents and fields where the multipliers may stand."""


class Release(NamedTuple):
    """What a release directory says of itself; rows are read line by line, never all at once.

    `bucket_multiplier` weighs the training questions of a bucket; `manifest_sha256` tells releases apart.
    """

    folder: Path
    name: str
    version: str
    manifest_sha256: str
    bucket_multiplier: dict[str, float]

    @classmethod
    def open(cls, folder: str | Path) -> "Release":
        """Release in a folder; an ArtifactError says what is missing from it."""
        folder = Path(folder)
        path = folder / "manifest.json"
        if not path.is_file():
            raise ArtifactError(f"{folder}: no manifest.json, so no complete release; run 'searchjev build'")
        said = read_document(path)
        name = next(
            (said[key] for key in ("name", "release", "dataset") if isinstance(said.get(key), str)), folder.name
        )
        version = next((said[key] for key in ("release_version", "version") if isinstance(said.get(key), str)), "")
        return cls(folder, name, version, file_sha256(path), _multiplier(folder))

    def lines(self, name: str) -> Iterator[Line]:
        """Samples with their index rows: `name` is train, val, test or model_selection; unknown fields in `extra`."""
        if name not in (*SPLITS, "model_selection"):
            raise ArtifactError(f"{name}: no part of a release; expected {', '.join(SPLITS)} or model_selection")
        return read_lines(self.folder, name)


def _first_text(said: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((said[name] for name in names if isinstance(said.get(name), str)), "")


def _multiplier(folder: Path) -> dict[str, float]:
    """Multipliers where a document states them; an ArtifactError where none does."""
    for name, field in MULTIPLIERS:
        document: dict[str, Any] = read_document(folder / name) if (folder / name).is_file() else {}
        try:
            found = msgspec.convert(document.get(field), dict[str, float])
        except msgspec.ValidationError:
            continue
        if found.keys() <= SHARES.keys() and found:
            return found
    raise ArtifactError(
        f"{folder}: no bucket multipliers; expected training_config.json with bucket_multiplier by bucket "
        f"({', '.join(SHARES)})"
    )


def read_lines(release: Path, name: str) -> Iterator[Line]:
    """Samples of NAME.jsonl with their index rows (name: train, val, test, model_selection)."""
    return (line for _, line in read_pairs(release, name, lambda _: True))


def read_pairs(release: Path, name: str, wanted: Callable[[int], bool]) -> Iterator[tuple[int, Line]]:
    """Wanted lines of NAME.jsonl and its index with their numbers from 0; only those are decoded."""
    data, index = release / f"{name}.jsonl", release / f"{name}_index.jsonl"
    try:
        with data.open("rb") as samples, index.open("rb") as rows:
            for number, (sample, row) in enumerate(zip(samples, rows, strict=True)):
                if wanted(number):
                    yield number, _line(sample, row, name, number + 1)
    except FileNotFoundError as error:
        raise ArtifactError(f"{error.filename}: missing; run 'searchjev build'") from None
    except ValueError:
        raise ArtifactError(f"{data.name} and {index.name} differ in lines; build the release again") from None


_SAMPLES, _ROWS = msgspec.json.Decoder(Sample), msgspec.json.Decoder(IndexRow)


def _line(sample: bytes, row: bytes, name: str, number: int) -> Line:
    try:
        return Line(_SAMPLES.decode(sample), _ROWS.decode(row))
    except msgspec.DecodeError:
        return foreign_line(sample, row, name, number)
