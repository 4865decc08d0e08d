"""What a model needs to answer, in one folder; hashes are checked on load, parts that don't fit are refused.

A bundle holds bundle.json, model.onnx, tokenizer.json, calibration.json and MODEL_CARD.md.
"""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError
from searchjev.prompt import PROMPT_VERSION

BUNDLE_FORMAT = 1
T = TypeVar("T")


class BundleInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """bundle.json: identity, limits and SHA-256 of every other file."""

    format: int
    name: str
    version: str
    release_date: str
    description: str
    readout: str
    prompt_version: str
    max_tokens: int
    max_state_positions: int
    max_positions: int
    model_sha256: str
    tokenizer_sha256: str
    files: dict[str, str]
    release: str = ""
    release_manifest_sha256: str = ""


class Calibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """calibration.json: one temperature a question type, and what it was fitted on and for.

    `groups` holds digests (see `searchjev.digest.digest`, hex) of the canonical groups used, so that an overlap with
    training or test can be refused. `flags` says of a type why its temperature is no ordinary fit.
    """

    id: str
    model_sha256: str
    prompt_version: str
    temperature: dict[str, float]
    counts: dict[str, int]
    fitted_on: str
    release_manifest_sha256: str
    groups: list[str] = []
    flags: dict[str, str] = {}
    trained_on_manifest_sha256: str = ""


IDENTITY = Calibration(
    id="none", model_sha256="", prompt_version=PROMPT_VERSION, temperature={}, counts={}, fitted_on="nothing",
    release_manifest_sha256="",
)  # fmt: skip


class Bundle(NamedTuple):
    """A checked bundle folder."""

    path: Path
    info: BundleInfo
    calibration: Calibration


def bundled_path() -> Path:
    """Folder of the model that comes with the package."""
    return Path(str(resources.files("searchjev") / "bundled" / "searchjev-mini"))


def load_bundle(path: Path | None = None) -> Bundle:
    """Check and open a bundle folder (the bundled mini by default); an ArtifactError says which part is wrong."""
    folder = bundled_path() if path is None else path
    info = _decode(folder / "bundle.json", BundleInfo)
    if info.format != BUNDLE_FORMAT:
        raise ArtifactError(f"{folder}: bundle format {info.format}, expected {BUNDLE_FORMAT}; use a newer searchjev")
    if info.prompt_version != PROMPT_VERSION:
        raise ArtifactError(
            f"{folder}: made for prompt version {info.prompt_version}, this searchjev renders {PROMPT_VERSION}; "
            "use a matching searchjev or train again"
        )
    _check_files(folder, {**info.files, "model.onnx": info.model_sha256, "tokenizer.json": info.tokenizer_sha256})
    return Bundle(folder, info, _calibration(folder, info))


def _calibration(folder: Path, info: BundleInfo) -> Calibration:
    path = folder / "calibration.json"
    if not path.exists():
        return IDENTITY
    calibration = _decode(path, Calibration)
    for part, found, expected in (
        ("model", calibration.model_sha256, info.model_sha256),
        ("prompt version", calibration.prompt_version, info.prompt_version),
    ):
        if found != expected:
            raise ArtifactError(
                f"{path}: fitted for {part} {found[:12]}, the bundle has {expected[:12]}; run 'searchjev calibrate'"
            )
    return calibration


def _check_files(folder: Path, digests: Mapping[str, str]) -> None:
    for name, expected in digests.items():
        path = folder / name
        if not path.is_file():
            raise ArtifactError(f"{folder}: {name} is missing; copy the whole bundle again")
        found = file_sha256(path)
        if found != expected:
            raise ArtifactError(
                f"{path}: sha256 {found[:12]}..., expected {expected[:12]}...; the file was altered or belongs to "
                "another bundle"
            )


def _decode(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise ArtifactError(f"{path}: missing, so {path.parent} is no bundle; give a bundle's folder") from None
    except msgspec.DecodeError as error:
        raise ArtifactError(f"{path}: {error}") from None
