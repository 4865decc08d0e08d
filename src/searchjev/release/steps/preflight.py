"""Step 9: the full prompt of each question counted by the reference's tokenizer; an over-long question leaves whole."""

from pathlib import Path

from tokenizers import Tokenizer

from searchjev.errors import ArtifactError
from searchjev.prompt import option_texts, question_text, state_parts
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger

STEP = "preflight"
CHUNK = 2_000


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer file; control words in a text are counted as text."""
    if not path.is_file():
        raise ArtifactError(f"{path}: no tokenizer; run 'searchjev models fetch qwen3-tokenizer' or give --tokenizer")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True
    return tokenizer


def preflight(items: list[Item], tokenizer: Tokenizer, config: ReleaseConfig, ledger: Ledger) -> list[Item]:
    """Items whose questions all fit; one left without a question is dropped."""
    kept = []
    for begin in range(0, len(items), CHUNK):
        chunk = items[begin : begin + CHUNK]
        texts = [text for item in chunk for text in _texts(item)]
        counts = iter([len(e.ids) for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)])
        for item in chunk:
            state = next(counts)
            item.tokens = {name: state + next(counts) for name in item.questions}
            if config.max_state_tokens is not None and state > config.max_state_tokens:
                ledger.drop(item.source, item.sample_id, STEP, "state over the release's token limit")
                continue
            _remove_long(item, config.max_tokens, ledger)
            if item.questions:
                kept.append(item)
    ledger.passed(STEP, len(items), len(kept))
    return kept


def _texts(item: Item) -> list[str]:
    texts = ["\n".join(state_parts(item.state)) + "\n\n"]
    return texts + ["\n".join([question_text(q), *option_texts(q)]) for q in item.questions.values()]


def _remove_long(item: Item, most: int, ledger: Ledger) -> None:
    for name in [name for name, count in item.tokens.items() if count > most]:
        ledger.drop(item.source, f"{item.sample_id}#{name}", STEP, "over the token limit")
        item.questions = {n: q for n, q in item.questions.items() if n != name}
        item.answers = {n: a for n, a in item.answers.items() if n != name}
        item.tokens = {n: c for n, c in item.tokens.items() if n != name}
