"""What the training loop asks of a model: examples of samples, batches of examples, logits of batches.

Readouts are named in a table and imported on use, so that nothing here needs torch until one is built.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from searchjev.errors import ConfigError
from searchjev.release.files import Line

if TYPE_CHECKING:
    import torch


class QuestionTarget(NamedTuple):
    """Wanted distribution of one question, its weight, and whether its outcomes are ordered levels."""

    distribution: list[float]
    weight: float
    is_score: bool


class Example(NamedTuple):
    """One training item: what the readout needs, the targets of its questions in order, and its length in tokens.

    `copies` is how often an epoch holds it on average; its weight per copy is the target's weight / copies.
    """

    item: Any
    targets: list[QuestionTarget]
    tokens: int
    copies: float = 1.0


class ParameterGroup(NamedTuple):
    """Parameters that share a multiple of the base learning rate."""

    parameters: "list[torch.nn.Parameter]"
    scale: float
    is_head: bool


class Readout(Protocol):
    """A model in training."""

    def example(self, line: Line, weight: float) -> Example | None:
        """Training item of a sample, its questions' weights multiplied by `weight`; None when it is too long."""

    def logits(self, examples: Sequence[Example]) -> "torch.Tensor":
        """Logits (questions, widest) of all questions of the examples in order; beyond a question's width: -1e4."""

    def groups(self) -> list[ParameterGroup]:
        """Trainable parameters with their learning-rate scales."""

    def state(self) -> "dict[str, torch.Tensor]":
        """Everything that training changes, and what it needs to be loaded again."""

    def load_state(self, state: "dict[str, torch.Tensor]") -> None:
        """Take back what `state` gave."""

    def save(self, folder: Path) -> None:
        """Write the trained model for export."""


READOUTS = {
    "span_encoder": "searchjev.models.span_readout:build",
    "label_causal": "searchjev.models.label_causal:build",
}


def build_readout(name: str, config: Any, lines: Sequence[Line]) -> Readout:  # noqa: ANN401 - the train config
    """Readout of that name for a train config; `lines` are the training samples (for the vocabulary)."""
    if name not in READOUTS:
        raise ConfigError(f"readout {name!r}: expected one of {', '.join(READOUTS)}")
    module, function = READOUTS[name].split(":")
    try:
        readout: Readout = getattr(importlib.import_module(module), function)(config, lines)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("searchjev"):
            raise
        raise ConfigError(f"readout {name!r} needs {error.name}; run: pip install 'searchjev[train]'") from None
    return readout


def targets_of(line: Line, weight: float) -> list[QuestionTarget]:
    """Targets of a sample's questions in order."""
    return [
        QuestionTarget(
            distribution=line.sample.answers[name].distribution,
            weight=line.row.loss_weight[name] * line.row.row_loss_scale * weight,
            is_score=question.__struct_config__.tag == "score",
        )
        for name, question in line.sample.questions.items()
    ]
