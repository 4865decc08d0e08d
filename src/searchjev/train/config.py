"""The config of a training run."""

from typing import Literal

import msgspec

from searchjev.config import Config


class SpanConfig(Config, frozen=True):
    """The span encoder: base folder, size of the cut vocabulary, what stays frozen."""

    base: str = "~/.cache/searchjev/multilingual-e5-small"
    tokenizer: str = ""
    vocabulary: int = 72_000
    frozen_layers: int = 0
    freeze_words: bool = True
    layer_decay: float = 0.9
    max_row_tokens: int = 512
    random_layers: int | None = None


class CausalConfig(Config, frozen=True):
    """A causal language model with LoRA and the label readout."""

    base: str = "Qwen/Qwen3-1.7B"
    tokenizer: str = "~/.cache/searchjev/qwen3-tokenizer/tokenizer.json"
    max_tokens: int = 6_144
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    random_layers: int | None = None


class TrainConfig(Config, frozen=True):
    """One run: data, model, steps, rates. `tokens` are padded tokens of one update."""

    release: str
    out: str
    readout: Literal["span_encoder", "label_causal"] = "span_encoder"
    seed: int = 1
    steps: int = 1_000
    tokens: int = 4_096
    accumulate: int = 1
    lr: float = 2e-4
    head_lr: float = 1e-3
    weight_decay: float = 0.01
    warmup: float = 0.05
    decay: float = 0.5
    brier: float = 0.5
    clip: float = 1.0
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    threads: int = 0
    checkpoint_every: int = 50
    validate_every: int = 200
    validate_rows: int = 400
    max_rows: int | None = None
    span: SpanConfig = msgspec.field(default_factory=SpanConfig)
    causal: CausalConfig = msgspec.field(default_factory=CausalConfig)
