"""Queries spoilt by rule: each way leaves its own trace, the same one each time."""

import pytest

from searchjev.recipes.noise import (
    KINDS,
    Neighbours,
    cut_off,
    noise_row,
    one_typo,
    rewrite_row,
    scrambled,
    spoilt,
    with_junk,
)
from searchjev.source import Raw

EN = "when was the lighthouse at north cape built"
ZH = "孩子感冒发烧应该怎么办才好"
RAW = Raw(None, "f", 1, "train")


@pytest.mark.parametrize("text", [EN, ZH])
def test_a_typo_changes_the_length_by_one_at_most(text):
    for i in range(50):
        assert abs(len(one_typo(text, str(i))) - len(text)) <= 1


@pytest.mark.parametrize("text", [EN, ZH])
def test_a_cut_query_is_a_start_of_it(text):
    for i in range(50):
        found = cut_off(text, str(i))
        assert text.startswith(found) and 2 <= len(found) < len(text)


def test_an_english_query_is_cut_inside_a_word():
    assert all(EN[len(cut_off(EN, str(i)))].isalpha() for i in range(50))


def test_scrambling_keeps_the_pieces():
    assert sorted(scrambled(EN, "k").split()) == sorted(EN.split())
    assert sorted(scrambled(ZH, "k")) == sorted(ZH)


def test_junk_surrounds_the_whole_query():
    assert EN in with_junk(EN, "k", "en") and ZH in with_junk(ZH, "k", "zh")


@pytest.mark.parametrize("kind", KINDS)
def test_spoiling_is_fixed_by_its_key(kind):
    assert spoilt(EN, "k", kind, "en") == spoilt(EN, "k", kind, "en")


def test_a_noise_row_is_clean_exactly_when_its_query_is_unchanged():
    rows = [row for i in range(60) if (row := noise_row(RAW, str(i), EN, "en"))]
    assert {row.answers["kind"].choice for row in rows} == set(KINDS)
    for row in rows:
        assert (row.state["query"] == EN) == (row.answers["kind"].choice == "clean") == (row.answers["noisy"].noul == 0)


def test_short_queries_are_not_spoilt():
    assert noise_row(RAW, "k", "hi", "en") is None
    assert rewrite_row(RAW, "k", "who", [EN, EN], "en") is None


def test_neighbours_share_rare_pieces_but_not_most():
    texts = [EN, "when was the lighthouse at north cape painted", "who wrote the lighthouse song", "best soup"]
    assert Neighbours(texts).of(EN, 3) == ["who wrote the lighthouse song"]
