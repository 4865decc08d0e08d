"""One checkpoint a run: weights, optimiser, step, config and data identity; written whole or not at all."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch

from searchjev.errors import ArtifactError
from searchjev.models.readout import Readout
from searchjev.train.config import TrainConfig
from searchjev.train.optimiser import Optimiser

NAME = "checkpoint.pt"
FREE_FIELDS = frozenset(("steps", "threads", "checkpoint_every", "validate_every", "validate_rows", "decay"))
"""Config fields that may change between a stop and its resume."""


class Progress(NamedTuple):
    """Where a run stands."""

    step: int
    tokens: int


def save_checkpoint(
    folder: Path, progress: Progress, readout: Readout, optimiser: Optimiser, config: TrainConfig, data: str
) -> None:
    """Replace the run's checkpoint; `data` is the digest of the release's manifest."""
    state = {
        "progress": tuple(progress),
        "model": readout.state(),
        "optimiser": optimiser.state(),
        "config": msgspec.to_builtins(config),
        "data": data,
    }
    temporary = folder / f"{NAME}.part"
    torch.save(state, temporary)
    temporary.replace(folder / NAME)


def load_checkpoint(
    folder: Path, readout: Readout, optimiser: Optimiser, config: TrainConfig, data: str
) -> Progress | None:
    """Put the run back where its checkpoint stands; None without one, an ArtifactError when it is another run's."""
    path = folder / NAME
    if not path.exists():
        return None
    state: dict[str, Any] = torch.load(path, weights_only=True)
    changed = _changed(state["config"], msgspec.to_builtins(config))
    if changed or state["data"] != data:
        what = f"config fields {', '.join(changed)}" if changed else "the release"
        raise ArtifactError(f"{path}: made with other values of {what}; use another `out` folder or delete this one")
    readout.load_state(state["model"])
    optimiser.load_state(state["optimiser"])
    return Progress(*state["progress"])


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [name for name in new if name not in FREE_FIELDS and old.get(name) != new[name]]
