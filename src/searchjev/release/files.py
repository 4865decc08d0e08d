"""The files of a release directory: index rows, the manifest, and reading documents back."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from searchjev.errors import ArtifactError
from searchjev.schema import Sample

SPLITS = ("train", "val", "test")
GoldLabel = bool | str | int | None


class TokenPreflight(msgspec.Struct, frozen=True):
    """Tokens of the full prompt of each question, under which tokenizer and prompt version."""

    tokenizer: str
    prompt_version: str
    tokens: dict[str, int]


class IndexRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Metadata of the sample on the same line of the data file (release-format: index row)."""

    sample_id: str
    source: str
    input_origin: str
    capability: str
    task_family: str
    decision_bucket: str
    training_lane: str
    supervision: str
    weak: bool
    label_tier: str
    target_provenance: str
    loss_weight: dict[str, float]
    row_loss_scale: float
    evaluation_eligible: dict[str, bool]
    eval_track: str
    gold: dict[str, GoldLabel]
    confidence: dict[str, float | None]
    teacher_reference_probability: dict[str, float | None]
    canonical_group: str
    group_keys: list[str]
    language_heuristic: str
    difficulty: int
    token_preflight: TokenPreflight


class FileEntry(msgspec.Struct, frozen=True):
    """Size, rows and digest of one file of the release."""

    bytes: int
    rows: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the release holds; written last, so that its presence means complete."""

    format: int
    name: str
    release_version: str
    files: dict[str, FileEntry]
    tokenizer_sha256: str
    prompt_version: str
    config_sha256: str
    source_files: dict[str, str]
    counts: dict[str, dict[str, int]]
    bucket_multiplier: dict[str, float]


class Line(NamedTuple):
    """A sample, its index row, and the fields of both that are unknown here (`release.foreign`)."""

    sample: Sample
    row: IndexRow
    extra: Mapping[str, Any] = MappingProxyType({})


def read_manifest(release: Path) -> Manifest:
    """Manifest of a complete release; an ArtifactError says what is missing."""
    path = release / "manifest.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise ArtifactError(f"{release}: no manifest.json, so no complete release; run 'searchjev build'") from None
    except msgspec.DecodeError as error:
        raise ArtifactError(f"{path}: {error}; build the release again") from None


def read_document(path: Path) -> dict[str, Any]:
    """Object of a JSON document of the release; an ArtifactError says what is wrong with it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        raise ArtifactError(f"{path}: missing; run 'searchjev build'") from None
    except msgspec.DecodeError as error:
        raise ArtifactError(f"{path}: {error}; build the release again") from None
