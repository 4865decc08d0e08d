"""The reference readout: a causal language model with LoRA reads one prompt and answers by single-token labels (torch).

A question is one prompt: state, question, options in a canonical order with their labels, then the answer position. Its
logits are those of the label tokens there, computed for that position only, never for the whole sequence.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from searchjev.errors import ArtifactError
from searchjev.models.labels import single_token_labels
from searchjev.models.readout import Example, ParameterGroup, targets_of
from searchjev.prompt import option_texts, question_text, state_parts
from searchjev.release.files import Line
from searchjev.schema import Question, Score, State
from searchjev.train.config import CausalConfig, TrainConfig


class Asked(NamedTuple):
    """Tokens of one question's prompt, and the label that each option of the question bears."""

    ids: list[int]
    labels: list[int]


class LabelReadout:
    """A causal model, its tokenizer and its label alphabet."""

    def __init__(self, model: nn.Module, tokenizer: Tokenizer, config: CausalConfig) -> None:
        self.model = model
        self.config = config
        self.tokenizer = tokenizer
        self.tokenizer.encode_special_tokens = True
        self.labels = single_token_labels(tokenizer)

    def asked(self, state: State, question: Question) -> Asked:
        """Prompt of one question. Options stand in the order of their texts, so the caller's order changes nothing."""
        options = option_texts(question)
        order = list(range(len(options)))
        if not isinstance(question, Score):
            order.sort(key=lambda i: options[i])
        place = {option: n for n, option in enumerate(order)}
        lines = [f"{self.labels[n][0]}. {options[i]}" for n, i in enumerate(order)]
        text = "\n".join([*state_parts(state), "", question_text(question), *lines, "Answer:\n"])
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return Asked(ids, [self.labels[place[i]][1] for i in range(len(options))])

    def example(self, line: Line, weight: float) -> Example | None:
        """One prompt a question; None when one is over the token limit (it is left out whole, never cut)."""
        asked = [self.asked(line.sample.state, question) for question in line.sample.questions.values()]
        longest = max(len(item.ids) for item in asked)
        return Example(asked, targets_of(line, weight), longest) if longest <= self.config.max_tokens else None

    def logits(self, examples: Sequence[Example]) -> Tensor:
        """Logits (questions, widest question) of the label tokens at each prompt's last token."""
        asked: list[Asked] = [item for example in examples for item in example.item]
        last = torch.tensor([len(item.ids) - 1 for item in asked])
        ids = torch.zeros(len(asked), int(last.max()) + 1, dtype=torch.long)
        for row, item in zip(ids, asked, strict=True):
            row[: len(item.ids)] = torch.tensor(item.ids)
        seen = torch.arange(ids.shape[1])[None] <= last[:, None]
        base, head = self._parts()
        hidden = base(input_ids=ids, attention_mask=seen.long(), use_cache=False).last_hidden_state
        # the place is the prompt's own length, never a search for a pad or end token
        answers = hidden[torch.arange(len(asked)), last]
        width = max(len(item.labels) for item in asked)
        labels = torch.tensor([item.labels + [item.labels[0]] * (width - len(item.labels)) for item in asked])
        logits = (head.weight[labels] @ answers[:, :, None]).squeeze(-1).float()
        exists = torch.arange(width)[None] < torch.tensor([len(item.labels) for item in asked])[:, None]
        return logits.masked_fill(~exists, -1e4)

    def groups(self) -> list[ParameterGroup]:
        """The LoRA matrices, at one rate."""
        return [ParameterGroup([p for p in self.model.parameters() if p.requires_grad], 1.0, is_head=False)]

    def state(self) -> dict[str, Tensor]:
        """The trained matrices; the base stays as it is."""
        return {name: p.detach().clone() for name, p in self.model.named_parameters() if p.requires_grad}

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Take back the trained matrices; a missing or unknown name is an ArtifactError."""
        own = {name: p for name, p in self.model.named_parameters() if p.requires_grad}
        if own.keys() != state.keys():
            odd = sorted(own.keys() ^ state.keys())[:3]
            raise ArtifactError(
                f"adapter: weights {odd} don't match the model; use the base and config it was made with"
            )
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(state[name])

    def save(self, folder: Path) -> None:
        """Write the adapter in peft's form."""
        self.model.save_pretrained(str(folder / "adapter"))

    def _parts(self) -> tuple[Any, Any]:
        causal: Any = self.model.get_base_model()
        return causal.model, causal.lm_head


def build(config: TrainConfig, lines: Sequence[Line]) -> LabelReadout:
    """Causal model of the config's base (or a tiny random Qwen3) with fresh LoRA matrices on its linear layers."""
    from peft import LoraConfig, get_peft_model

    del lines  # the vocabulary is the base's
    torch.manual_seed(config.seed)
    causal = config.causal
    tokenizer = Tokenizer.from_file(str(Path(causal.tokenizer).expanduser()))
    base = _random_qwen3(tokenizer, causal.random_layers) if causal.random_layers else _pretrained(causal.base)
    lora = LoraConfig(
        r=causal.rank, lora_alpha=causal.alpha, lora_dropout=causal.dropout, target_modules="all-linear",
        task_type="CAUSAL_LM",
    )  # fmt: skip
    return LabelReadout(get_peft_model(base, lora), tokenizer, causal)


def _random_qwen3(tokenizer: Tokenizer, layers: int) -> Any:  # noqa: ANN401
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=tokenizer.get_vocab_size(), hidden_size=64, intermediate_size=128, num_hidden_layers=layers,
            num_attention_heads=4, num_key_value_heads=2, head_dim=16, max_position_embeddings=8_192,
        )
    )  # fmt: skip


def _pretrained(name: str) -> Any:  # noqa: ANN401
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(name)
