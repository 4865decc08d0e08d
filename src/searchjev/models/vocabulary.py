"""Cutting a multilingual Unigram vocabulary down to what Chinese and English need.

Kept: special pieces, every single character of the scripts in use, every piece that the training texts use, then the
likeliest other pieces of those scripts up to the wanted size. Scores stay: only words of dropped pieces change.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from tokenizers import Tokenizer

from searchjev.errors import ArtifactError

SPECIALS = 4
"""<s>, <pad>, </s>, <unk> keep the ids 0 to 3."""

NEVER = -10_000.0


class CutVocabulary(NamedTuple):
    """The cut tokenizer as JSON bytes, and the old id of every new one."""

    tokenizer: bytes
    kept: list[int]


def cut_vocabulary(tokenizer: Path, texts: Iterable[str], size: int) -> CutVocabulary:
    """Tokenizer with about `size` pieces; pieces that the texts use are all kept, even beyond `size`."""
    try:
        document: dict[str, Any] = msgspec.json.decode(tokenizer.read_bytes())
    except FileNotFoundError:
        raise ArtifactError(f"{tokenizer}: missing; run 'searchjev models fetch multilingual-e5-small'") from None
    vocabulary: list[list[Any]] = document["model"]["vocab"]
    used = _used(tokenizer, texts)
    keep = set(range(SPECIALS)) | set(used)
    keep |= {i for i, (piece, _) in enumerate(vocabulary) if len(piece.strip("▁")) <= 1 and _in_scripts(piece)}
    by_score = sorted(range(SPECIALS, len(vocabulary)), key=lambda i: (-vocabulary[i][1], i))
    for i in by_score:
        if len(keep) >= size:
            break
        if _in_scripts(vocabulary[i][0]):
            keep.add(i)
    kept = sorted(i for i in keep if i < len(vocabulary))
    # a special piece has score 0 and would win wherever its spelling stands in a text; so it never does
    document["model"]["vocab"] = [[vocabulary[i][0], NEVER if i < SPECIALS else vocabulary[i][1]] for i in kept]
    document["added_tokens"] = [token for token in document["added_tokens"] if token["id"] < SPECIALS]
    document["post_processor"] = document["padding"] = document["truncation"] = None
    return CutVocabulary(msgspec.json.encode(document), kept)


def _used(tokenizer: Path, texts: Iterable[str]) -> Counter[int]:
    full = Tokenizer.from_file(str(tokenizer))
    full.encode_special_tokens = True
    full.no_padding()
    full.no_truncation()
    counts: Counter[int] = Counter()
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == 2048:
            _count(full, batch, counts)
            batch = []
    _count(full, batch, counts)
    return counts


def _count(full: Tokenizer, batch: list[str], counts: Counter[int]) -> None:
    for encoded in full.encode_batch_fast(batch, add_special_tokens=False):
        counts.update(encoded.ids)


def _in_scripts(piece: str) -> bool:
    return all(_in_script(character) for character in piece.strip("▁"))


def _in_script(character: str) -> bool:
    code = ord(character)
    if code < 0x250 or 0x4E00 <= code <= 0x9FFF or 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFFEF:
        return True
    return unicodedata.category(character)[0] in "PSN" and code < 0x3400
