"""Step 9: the full prompt of each question counted by the reference's tokenizer; an over-long question leaves whole."""

from pathlib import Path

from tokenizers import Tokenizer

from searchjev.errors import ArtifactError
from searchjev.prompt import Prompt, render, state_parts
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger

STEP = "preflight"


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer file; control words in a text are counted as text."""
    if not path.is_file():
        raise ArtifactError(f"{path}: no tokenizer; run 'searchjev models fetch qwen3-tokenizer' or give --tokenizer")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True
    return tokenizer


def prompt_text(prompt: Prompt) -> str:
    """Whole prompt of one question, as it is counted."""
    return "\n".join([*prompt.parts, "", prompt.question, *prompt.options])


def preflight(items: list[Item], tokenizer: Tokenizer, config: ReleaseConfig, ledger: Ledger) -> None:
    """Count the tokens of every question; those too long leave, and all questions of a state that is too long."""
    prompts = [prompt_text(render(item.state, question)) for item in items for question in item.questions.values()]
    counts = iter(_counts(tokenizer, prompts))
    for item in items:
        item.tokens = {name: next(counts) for name in item.questions}
    _remove_long_states(items, tokenizer, config.max_state_tokens, ledger)
    for item in items:
        _remove_long(item, config.max_tokens, ledger)


def _counts(tokenizer: Tokenizer, texts: list[str]) -> list[int]:
    return [len(encoding.ids) for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


def _remove_long_states(items: list[Item], tokenizer: Tokenizer, most: int | None, ledger: Ledger) -> None:
    if most is None:
        return
    counts = _counts(tokenizer, ["\n".join(state_parts(item.state)) for item in items])
    for item, count in zip(items, counts, strict=True):
        if count > most:
            ledger.drop(item.source, item.sample_id, STEP, "state over the release's token limit")
            item.questions, item.answers, item.tokens = {}, {}, {}


def _remove_long(item: Item, most: int, ledger: Ledger) -> None:
    for name in [name for name, count in item.tokens.items() if count > most]:
        ledger.drop(item.source, f"{item.sample_id}#{name}", STEP, "over the token limit")
        item.leave(name)
