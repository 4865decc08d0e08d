"""Base weights (multilingual-e5-small in Hugging Face form) into a span encoder with a cut vocabulary."""

from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from searchjev.errors import ArtifactError
from searchjev.models.shape import Shape
from searchjev.models.span_encoder import SpanEncoder


def load_base(folder: Path, kept: list[int]) -> SpanEncoder:
    """Encoder with the folder's weights and only the kept rows of the word table, the head fresh."""
    from safetensors.torch import load_file

    try:
        config: dict[str, Any] = msgspec.json.decode((folder / "config.json").read_bytes())
        weights = load_file(folder / "model.safetensors")
    except FileNotFoundError as error:
        raise ArtifactError(f"{error.filename}: missing; run 'searchjev models fetch multilingual-e5-small'") from None
    weights = {name.removeprefix("bert."): tensor for name, tensor in weights.items()}
    shape = Shape(
        vocabulary=len(kept),
        hidden=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        inner=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        epsilon=config["layer_norm_eps"],
    )
    model = SpanEncoder(shape)
    model.load_state_dict({**model.state_dict(), **_renamed(weights, kept, shape.layers)})
    return model


def _renamed(weights: dict[str, Tensor], kept: list[int], layers: int) -> dict[str, Tensor]:
    e = "embeddings."
    out = {
        "word.weight": weights[e + "word_embeddings.weight"][torch.tensor(kept)],
        # every token has type 0: its vector is folded into the positions
        "position.weight": weights[e + "position_embeddings.weight"] + weights[e + "token_type_embeddings.weight"][0],
        "norm.weight": weights[e + "LayerNorm.weight"],
        "norm.bias": weights[e + "LayerNorm.bias"],
    }
    for n in range(layers):
        theirs, ours = f"encoder.layer.{n}.", f"layers.{n}."
        for kind in ("weight", "bias"):
            projections = [weights[f"{theirs}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
            out[f"{ours}qkv.{kind}"] = torch.cat(projections)
            for own, name in (
                ("out", "attention.output.dense"),
                ("up", "intermediate.dense"),
                ("down", "output.dense"),
                ("norm1", "attention.output.LayerNorm"),
                ("norm2", "output.LayerNorm"),
            ):
                out[f"{ours}{own}.{kind}"] = weights[f"{theirs}{name}.{kind}"]
    return out
