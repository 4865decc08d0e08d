"""Single-token labels for the options of a causal prompt: letters first, then other short tokens of the vocabulary."""

import string
from collections.abc import Iterator
from itertools import product

from tokenizers import Tokenizer

from searchjev.errors import ArtifactError
from searchjev.schema import MAX_OPTIONS


def single_token_labels(tokenizer: Tokenizer, count: int = MAX_OPTIONS) -> list[tuple[str, int]]:
    """`count` labels with their token ids: each one token after a newline, no two the same token."""
    found: dict[int, str] = {}
    for label in _candidates():
        ids = tokenizer.encode(label, add_special_tokens=False).ids
        if len(ids) == 1 and ids[0] not in found:
            found[ids[0]] = label
        if len(found) == count:
            return [(label, token) for token, label in found.items()]
    raise ArtifactError(f"tokenizer: {len(found)} single-token labels, expected {count}; use another base model")


def _candidates() -> Iterator[str]:
    letters = string.ascii_uppercase
    yield from letters
    for size in (2, 3):
        for letter in product(letters, repeat=size):
            yield "".join(letter)
    for pair in product(string.ascii_lowercase, repeat=2):
        yield "".join(pair)
