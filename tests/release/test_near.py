"""Near duplicates against brute force, in both languages; large buckets; texts without letters."""

import random
from itertools import combinations

import numpy as np
import pytest

from searchjev.release.near import (
    HASHES,
    WINDOW,
    Pair,
    jaccard,
    near_duplicates,
    pairs,
    shingles,
    signature,
    signatures,
)

ENGLISH = [
    "the",
    "of",
    "and",
    "in",
    "was",
    "river",
    "bridge",
    "opened",
    "city",
    "council",
    "north",
    "station",
    "harbour",
]
ENGLISH += ["".join(random.Random(i).choices("abcdefghijklmnoprstuw", k=4 + i % 6)) for i in range(400)]
CHINESE = [chr(code) for code in range(0x4E00, 0x4E00 + 800)]


def text(rng: random.Random, language: str) -> list[str]:
    words, count = (ENGLISH, 70) if language == "en" else (CHINESE, 250)
    return rng.choices(words, k=count)


def changed(rng: random.Random, words: list[str], edits: int) -> list[str]:
    """Words of which some are replaced, dropped or doubled."""
    out = list(words)
    for _ in range(edits):
        place = rng.randrange(len(out))
        out[place : place + 1] = rng.choice([[rng.choice(words)], [], [out[place]] * 2])
    return out


def corpus(language: str) -> list[str]:
    rng = random.Random(f"near {language}")
    texts = []
    for number in range(60):
        words = text(rng, language)
        texts += [words, *(changed(rng, words, number % 10) for _ in range(2))]
    rng.shuffle(texts)
    return [(" " if language == "en" else "").join(words) for words in texts]


def roots(count: int, found: list[Pair]) -> list[int]:
    root = list(range(count))
    for pair in found:
        old, new = root[pair.second], root[pair.first]
        root = [new if one == old else one for one in root]
    return root


@pytest.mark.parametrize("language", ["en", "zh"])
def test_near_duplicates_are_found_and_nothing_else(language):
    texts = corpus(language)
    sets = [set(shingles(one).tolist()) for one in texts]
    brute = {
        (i, j): len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in combinations(range(len(texts)), 2)
    }  # fmt: skip
    found = near_duplicates(texts).pairs
    assert all(pair.jaccard == pytest.approx(brute[pair[:2]]) and pair.jaccard >= 0.8 for pair in found)
    root = roots(len(texts), found)
    for least, recall in ((0.85, 0.99), (0.8, 0.95)):
        near = [pair for pair, value in brute.items() if value >= least]
        assert len(near) > 60
        tied = sum(root[i] == root[j] for i, j in near)
        assert tied >= recall * len(near), f"{tied} of {len(near)} pairs at {least}"
    assert sum(0.6 < value < 0.8 for value in brute.values()) > 20, "no pair to be refused"


def test_shared_hashes_estimate_the_jaccard():
    texts = corpus("en")
    signed = signatures(texts)
    errors = [
        float((signed[i] == signed[j]).mean()) - jaccard(shingles(texts[i]), shingles(texts[j]))
        for i, j in combinations(range(0, len(texts)), 2)
    ]
    near = [error for error in errors if error]
    assert abs(sum(near) / len(near)) < 0.01
    assert max(map(abs, near)) < 0.2


def test_signatures_are_the_same_everywhere():
    assert signature("The Ostby bridge was opened in May 1931.")[:4].tolist() == [
        54082864,
        169083994,
        776932250,
        137160579,
    ]
    assert signature("白河大桥于1987年建成通车。")[:4].tolist() == [424812339, 241406914, 27377775, 401855815]


def test_one_by_one_is_as_all_at_once():
    texts = ["", *corpus("zh")[:5], "a", *corpus("en")[:5], "ＡＢＣ，cafe\u0301 ﬁne ½ x"]
    assert np.array_equal(signatures(texts), np.stack([signature(one) for one in texts]))
    assert signatures([]).shape == (0, HASHES)


@pytest.mark.parametrize(
    "other",
    ["the ostby bridge OPENED in 1931", "The Ostby bridge, opened in 1931!", "Ｔｈｅ Ostby bridge\nopened in １９３１"],
)
def test_case_signs_and_width_make_no_difference(other):
    assert np.array_equal(shingles("The Ostby bridge opened in 1931."), shingles(other))


def test_composed_and_decomposed_letters_are_one():
    assert np.array_equal(shingles("caf\u00e9 \ufb01ne"), shingles("CAFE\u0301 fine"))


@pytest.mark.parametrize("empty", ["", "?!  ,", "。，"])
def test_texts_without_letters_have_no_neighbour(empty):
    assert len(shingles(empty)) == 0 and jaccard(shingles(empty), shingles(empty)) == 0.0
    assert near_duplicates([empty, empty, "ab", "AB."]).pairs == [Pair(2, 3, 1.0)]


def test_a_text_shorter_than_a_shingle_is_one_shingle():
    assert len(shingles("水")) == len(shingles("北京市")) == len(shingles("abcde")) == 1
    assert not near_duplicates(["北京", "北京市"]).pairs


def test_copies_give_a_pair_less_than_they_are():
    copies = ["the same text about the same river"] * 1000
    found = near_duplicates(copies)
    assert len(found.pairs) == 999 and found.crowded == 16
    assert len(set(roots(1000, found.pairs))) == 1


def test_texts_that_share_a_band_are_verified_once():
    signed = np.zeros((2, HASHES), dtype=np.uint32)
    asked = []

    def shingles_of(place: int):
        asked.append(place)
        return np.array([place], dtype=np.uint64)

    assert pairs(signed, shingles_of).pairs == [] and sorted(asked) == [0, 1]


def test_many_near_copies_of_few_texts_come_together():
    rng = random.Random(3)
    bases = [text(rng, "zh") for _ in range(4)]
    texts = ["".join(changed(rng, base, 2)) for base in bases for _ in range(3 * WINDOW)]
    root = roots(len(texts), near_duplicates(texts).pairs)
    assert len(set(root)) == 4
