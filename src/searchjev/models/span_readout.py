"""The span encoder as the training loop sees it: packed rows in, logits a question out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from searchjev.encode import Row, TextEncoder, collate, rows_of, tokenise
from searchjev.models.base import load_base
from searchjev.models.readout import Example, ParameterGroup, targets_of
from searchjev.models.shape import Shape
from searchjev.models.span_encoder import SpanEncoder
from searchjev.models.vocabulary import cut_vocabulary
from searchjev.prompt import option_texts, question_text, state_parts
from searchjev.release.files import Line
from searchjev.train.config import SpanConfig, TrainConfig
from searchjev.train.precision import uses_bf16

TOKENIZER, SHAPE, WEIGHTS = "tokenizer.json", "shape.json", "weights.safetensors"


class SpanReadout:
    """A span encoder with its tokenizer."""

    def __init__(self, model: SpanEncoder, tokenizer: Path, config: SpanConfig) -> None:
        self.model = model
        self.config = config
        self.tokenizer = tokenizer
        self.encoder = TextEncoder(tokenizer)
        model.word.requires_grad_(not config.freeze_words)
        for layer in model.layers[: config.frozen_layers]:
            layer.requires_grad_(False)
        if config.frozen_layers:
            model.norm.requires_grad_(False)
            model.position.requires_grad_(False)

    def example(self, line: Line, weight: float) -> Example | None:
        """One packed row with all questions of the sample; None beyond the config's row length."""
        rows = rows_of(tokenise(self.encoder, line.sample.state, line.sample.questions))
        if len(rows) != 1 or len(rows[0].ids) > self.config.max_row_tokens:
            return None
        return Example(rows[0], targets_of(line, weight), len(rows[0].ids))

    def logits(self, examples: Sequence[Example]) -> Tensor:
        """Logits (questions, widest question)."""
        rows: list[Row] = [example.item for example in examples]
        by_option = self.model(collate(rows, multiple=8))
        widths = [len(target.distribution) for example in examples for target in example.targets]
        flat = torch.cat([by_option[i, : len(row.question_of_option)] for i, row in enumerate(rows)])
        out = torch.full((len(widths), max(widths)), -1e4)
        mask = torch.arange(max(widths))[None] < torch.tensor(widths)[:, None]
        return out.masked_scatter(mask, flat)

    def groups(self) -> list[ParameterGroup]:
        """Head at full rate; layers decay downwards; positions and word table lowest."""
        groups = [ParameterGroup(self.model.head_parameters(), 1.0, is_head=True)]
        depth = len(self.model.layers)
        for n, layer in enumerate(self.model.layers):
            groups.append(ParameterGroup(_trainable(layer), self.config.layer_decay ** (depth - 1 - n), is_head=False))
        below = [p for m in (self.model.norm, self.model.position, self.model.word) for p in _trainable(m)]
        groups.append(ParameterGroup(below, self.config.layer_decay**depth, is_head=False))
        return [group for group in groups if group.parameters]

    def state(self) -> dict[str, Tensor]:
        """All weights."""
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Take back all weights."""
        self.model.load_state_dict(state)

    def save(self, folder: Path) -> None:
        """Write shape, weights in fp32, and the tokenizer."""
        from safetensors.torch import save_file

        (folder / SHAPE).write_bytes(msgspec.json.encode(self.model.shape))
        save_file({name: tensor.float().contiguous() for name, tensor in self.state().items()}, folder / WEIGHTS)
        if self.tokenizer != folder / TOKENIZER:
            (folder / TOKENIZER).write_bytes(self.tokenizer.read_bytes())


def build(config: TrainConfig, lines: Sequence[Line]) -> SpanReadout:
    """Span encoder on the config's base, or a random one of the config's sizes; the vocabulary is cut once a run."""
    torch.manual_seed(config.seed)
    span, folder = config.span, Path(config.out)
    tokenizer, kept_path = folder / TOKENIZER, folder / "kept.json"
    if not kept_path.exists():
        cut = cut_vocabulary(Path(span.tokenizer or span.base).expanduser() / TOKENIZER, _texts(lines), span.vocabulary)
        tokenizer.write_bytes(cut.tokenizer)
        kept_path.write_bytes(msgspec.json.encode(cut.kept))
    kept = msgspec.json.decode(kept_path.read_bytes(), type=list[int])
    if span.random_layers is None:
        model = load_base(Path(span.base).expanduser(), kept)
    else:
        shape = Shape(vocabulary=len(kept), hidden=64, layers=span.random_layers, heads=4, inner=128)
        model = SpanEncoder(shape)
    if uses_bf16(config):
        for module in (model.word, model.position, model.norm, model.layers):
            module.to(torch.bfloat16)
    return SpanReadout(model, tokenizer, span)


def load_trained(folder: Path) -> SpanEncoder:
    """The encoder that `save` wrote."""
    from safetensors.torch import load_file

    model = SpanEncoder(msgspec.json.decode((folder / SHAPE).read_bytes(), type=Shape))
    model.load_state_dict(load_file(folder / WEIGHTS))
    model.eval()
    return model


def _trainable(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    return [parameter for parameter in module.parameters() if parameter.requires_grad]


def _texts(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        yield from state_parts(line.sample.state)
        for question in line.sample.questions.values():
            yield question_text(question)
            yield from option_texts(question)
