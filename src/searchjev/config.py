"""TOML files into frozen structs: unknown keys are refused with their path, defaults live in the struct."""

from pathlib import Path
from typing import TypeVar

import msgspec

from searchjev.errors import ConfigError

T = TypeVar("T")


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every config struct."""


def load_config(path: Path, kind: type[T]) -> T:
    """Read a TOML file as `kind`; a wrong key or value is a ConfigError naming file and path."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; give the path of a TOML config") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: {error}") from None


def save_config(config: object, path: Path) -> None:
    """Write the resolved config as JSON beside an output, defaults filled in."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")
