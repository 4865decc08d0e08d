"""Near duplicates: pairs of texts whose sets of shingles overlap, found by MinHash and LSH, each one verified.

A shingle is five letters or digits in a row, of the folded text without its spaces and signs. One rule serves both
scripts: Chinese has no words to cut at, and five letters of English stand for about a word. Texts of fewer letters
have one shingle, the whole text; those without a letter have none, and no neighbour.

Does not cover texts that share a part: a passage inside a longer text has a small Jaccard.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from searchjev.digest import digest

Signatures: TypeAlias = NDArray[np.uint32]
"""(texts, HASHES): the least value of each hash over a text's shingles; 384 bytes a text."""

Shingles: TypeAlias = NDArray[np.uint64]
"""(shingles,): sorted digests of a text's distinct shingles."""

SHINGLE = 5
BANDS, BAND = 16, 6
"""A pair of Jaccard 0.8 shares a whole band with probability 0.992, one of 0.5 with 0.22."""

HASHES = BANDS * BAND
THRESHOLD = 0.8
WINDOW = 32
"""How far apart in a sorted bucket two texts may stand to be compared: a bucket costs its size, not its square."""

SLACK = 0.15
"""Pairs whose shared hashes fall this far below the threshold are not verified: 3.7 standard deviations at 0.8."""

_LETTERS_AT_ONCE = 1 << 15
_PAIRS_AT_ONCE = 1 << 15
_NO_SHINGLE = np.uint32(0xFFFFFFFF)
_HARD = np.uint32(0xFFFFFFFF)
_JAMO = range(0x1100, 0x1200)
_PLACES = np.array([digest("shingle", str(i)) | 1 for i in range(SHINGLE)], dtype=np.uint64)
_FACTORS = np.array([(digest("minhash", str(i)) >> 32) | 1 for i in range(HASHES)], dtype=np.uint32)


class Pair(NamedTuple):
    """Two texts by their places, the first before the second, and the exact Jaccard of their shingles."""

    first: int
    second: int
    jaccard: float


class Found(NamedTuple):
    """Pairs that tie all near duplicates together, and the buckets too large to be compared pair by pair."""

    pairs: list[Pair]
    crowded: int


class _Shingled(NamedTuple):
    """Digests of the shingles of several texts in a row, and how many each text has."""

    digests: NDArray[np.uint64]
    counts: NDArray[np.intp]


def shingles(text: str) -> Shingles:
    """Digests of the text's distinct shingles, sorted."""
    return np.unique(_shingled([text]).digests)


def signature(text: str) -> NDArray[np.uint32]:
    """MinHash values of one text, HASHES of them, equal on every machine; all ones where no letter is."""
    only: NDArray[np.uint32] = signatures([text])[0]
    return only


def signatures(texts: Sequence[str]) -> Signatures:
    """MinHash values of each text, faster than one by one."""
    out = np.full((len(texts), HASHES), _NO_SHINGLE, dtype=np.uint32)
    for start, stop in _blocks(texts):
        _sign(_shingled(texts[start:stop]), out[start:stop])
    return out


def near_duplicates(texts: Sequence[str], threshold: float = THRESHOLD) -> Found:
    """Pairs of texts with a Jaccard of at least the threshold, as `pairs` gives them."""
    return pairs(signatures(texts), lambda i: shingles(texts[i]), threshold)


def pairs(signed: Signatures, shingles_of: Callable[[int], Shingles], threshold: float = THRESHOLD) -> Found:
    """Verified pairs that join every cluster of near duplicates: n copies give n - 1 pairs.

    A pair whose texts earlier pairs tie already is neither verified nor given. `shingles_of` gives the shingles of the
    text at a place; it is asked for candidates alone.
    """
    search = _Search(signed, lru_cache(maxsize=4096)(shingles_of), threshold)
    filled = np.flatnonzero((signed != _NO_SHINGLE).any(axis=1))
    crowded = 0
    for band in range(BANDS):
        order, bucket = _buckets(signed, filled, band)
        crowded += int((np.bincount(bucket) > WINDOW).sum()) if len(bucket) else 0
        for step in range(1, WINDOW):
            same = np.flatnonzero(bucket[step:] == bucket[:-step])
            if not len(same):
                break
            search.compare(order[same], order[same + step])
    return Found(search.pairs, crowded)


def jaccard(first: Shingles, second: Shingles) -> float:
    """Shared shingles over all shingles of two texts; 0 where neither has any."""
    merged = np.sort(np.concatenate([first, second]))
    shared = int((merged[1:] == merged[:-1]).sum())
    return shared / (len(merged) - shared) if len(merged) else 0.0


class _Search:
    """Clusters so far as a union-find, the pairs that made them, and the candidates refuted on the way."""

    def __init__(self, signed: Signatures, shingles_of: Callable[[int], Shingles], threshold: float) -> None:
        self.signed = signed
        self.shingles_of = shingles_of
        self.threshold = threshold
        self.parent = np.arange(len(signed))
        self.refuted: set[tuple[int, int]] = set()
        self.pairs: list[Pair] = []

    def compare(self, firsts: NDArray[np.intp], seconds: NDArray[np.intp]) -> None:
        """Verify the candidates that no cluster holds yet, and join those near enough."""
        self._flatten()
        apart = self.parent[firsts] != self.parent[seconds]
        low, high = np.minimum(firsts, seconds)[apart], np.maximum(firsts, seconds)[apart]
        for start in range(0, len(low), _PAIRS_AT_ONCE):
            i, j = low[start : start + _PAIRS_AT_ONCE], high[start : start + _PAIRS_AT_ONCE]
            likely = (self.signed[i] == self.signed[j]).mean(axis=1) >= self.threshold - SLACK
            for pair in zip(i[likely].tolist(), j[likely].tolist(), strict=True):
                self._verify(*pair)

    def _verify(self, first: int, second: int) -> None:
        a, b = self._root(first), self._root(second)
        if a == b or (first, second) in self.refuted:
            return
        value = jaccard(self.shingles_of(first), self.shingles_of(second))
        if value >= self.threshold:
            self.parent[max(a, b)] = min(a, b)
            self.pairs.append(Pair(first, second, value))
        else:
            self.refuted.add((first, second))

    def _root(self, place: int) -> int:
        while self.parent[place] != place:
            place = int(self.parent[place])
        return place

    def _flatten(self) -> None:
        """Point every place at its root."""
        while not np.array_equal(up := self.parent[self.parent], self.parent):
            self.parent = up


def _buckets(signed: Signatures, filled: NDArray[np.intp], band: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places that share this band with another one, bucket by bucket, and the number of each one's bucket.

    Within a bucket they go by the other bands, so that copies are neighbours and near ones mostly are.
    """
    keys = _band_keys(signed[filled], band)
    _, number, size = np.unique(keys, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(size[number] > 1)
    places, number = filled[shared], number[shared]
    others = [_band_keys(signed[places], (band + i) % BANDS) for i in range(1, BANDS)]
    order = np.lexsort([places, *others[::-1], number])
    return places[order], number[order]


def _band_keys(signed: Signatures, band: int) -> NDArray[np.uint64]:
    keys = np.zeros(len(signed), dtype=np.uint64)
    for value in signed[:, band * BAND : (band + 1) * BAND].T:
        keys = _mixed(keys ^ value)
    return keys


def _sign(shingled: _Shingled, out: Signatures) -> None:
    """Write each text's MinHash values into its line of `out`."""
    filled = np.flatnonzero(shingled.counts)
    if not len(filled):
        return
    starts = np.cumsum(shingled.counts[filled]) - shingled.counts[filled]
    base = (shingled.digests >> np.uint64(32)).astype(np.uint32)
    product = np.empty_like(base)
    least = np.empty((HASHES, len(filled)), dtype=np.uint32)
    for i, factor in enumerate(_FACTORS):
        # times an odd number is a permutation of the 32-bit numbers
        np.minimum.reduceat(np.multiply(base, factor, out=product), starts, out=least[i])
    out[filled] = least.T


def _shingled(texts: Sequence[str]) -> _Shingled:
    letters, owner = _lettered(texts)
    counts = np.bincount(owner, minlength=len(texts))
    # zeros after each text, so that no window reaches into the next one
    padded = np.zeros(len(letters) + (SHINGLE - 1) * len(texts), dtype=np.uint64)
    places = np.arange(len(letters)) + (SHINGLE - 1) * owner
    padded[places] = letters
    is_first = np.diff(owner, prepend=-1) > 0
    begins = places[is_first | (padded[places + SHINGLE - 1] != 0)]
    sums = np.zeros(len(begins), dtype=np.uint64)
    for i, factor in enumerate(_PLACES):
        sums += padded[begins + i] * factor
    return _Shingled(_mixed(sums), np.where(counts > 0, np.maximum(counts - SHINGLE + 1, 1), 0))


def _lettered(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Folded letters of all texts in a row, and whose each one is."""
    codes, owner = _codes(texts)
    hard = set(owner[_folds()[codes] == _HARD].tolist())
    if hard:
        codes, owner = _codes([_folded(text) if i in hard else text for i, text in enumerate(texts)])
    letters = _folds()[codes]
    letters = np.where(letters == _HARD, codes, letters)
    return letters[letters != 0], owner[letters != 0]


def _codes(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return codes, np.repeat(np.arange(len(texts)), [len(text) for text in texts])


def _folded(text: str) -> str:
    """Letters and digits of the text, in compatibility form (NFKC) and without case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


@cache
def _folds() -> NDArray[np.uint32]:
    """What each code point folds to: a letter, 0 for a sign or space, or _HARD where its text decides.

    A text of Chinese takes 70 microseconds to normalise and one to look up.
    """
    out = np.zeros(0x110000, dtype=np.uint32)
    for code in range(len(out)):
        letters = _folded(chr(code))
        is_joined = len(letters) > 1 or unicodedata.category(chr(code))[0] == "M" or code in _JAMO
        out[code] = _HARD if is_joined else ord(letters) if letters else 0
    return out


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread each number's bits over all 64 (the finaliser of MurmurHash3)."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of texts that fit the processor's cache together."""
    start, letters = 0, 0
    for place, text in enumerate(texts):
        if letters and letters + len(text) > _LETTERS_AT_ONCE:
            yield start, place
            start, letters = place, 0
        letters += len(text)
    if start < len(texts):
        yield start, len(texts)
