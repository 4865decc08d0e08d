"""Rewrites in context: what counts as resolved, and which broken rewrites are made."""

from searchjev.recipes.rewriting import Turn, alike, dialogue_of, noul_row, resolved, turn_rows, variants_of
from searchjev.source import Drop


def turn(said: str, rewrite: str, *, language="en", others=(), dialogue=("Who is Mara Lind?", "a singer")) -> Turn:
    return Turn("k", "m", language, None, dialogue_of(dialogue), "", said, rewrite, tuple(others))


def test_the_resolved_piece_is_what_the_turn_lacks():
    rewrite = "When did Mara Lind tour?"
    start, end = resolved("When did she tour?", rewrite)
    assert rewrite[start:end] == "Mara Lind"
    start, end = resolved("它有多长", "长城有多长")
    assert "长城有多长"[start:end] == "长城"


def test_a_change_of_punctuation_resolves_nothing():
    assert resolved("When did she tour", "When did she tour?") is None
    assert resolved("when did it end?", "When did it end?") is None


def test_a_complete_turn_is_never_its_own_broken_rewrite():
    assert variants_of(turn("Did Mara tour?", "Did Mara tour?"), ["Owen Pratt"]).known == {}


def test_a_name_is_swapped_for_one_of_the_dialogue_before_a_foreign_one():
    asked = turn("Did she tour?", "Did Mara Lind tour?", dialogue=("Who is she?", "a singer, with Tom Weber"))
    assert variants_of(asked, ["Owen Pratt"]).swapped == "Did Tom Weber tour?"
    asked = turn("Did she tour?", "Did Mara Lind tour?", dialogue=("Who is she?", "a singer"))
    assert variants_of(asked, ["Owen Pratt"]).swapped == "Did Owen Pratt tour?"


def test_another_turn_that_asks_much_the_same_is_no_broken_rewrite():
    others = ("Did Mara Lind tour again?", "Where was Mara Lind born?")
    assert alike("Did Mara Lind tour?", others[0])
    assert variants_of(turn("Did she tour?", "Did Mara Lind tour?", others=others), []).other == others[1]


def test_each_broken_rewrite_is_asked_only_what_it_settles():
    asked = turn("Did she tour?", "Did Mara Lind tour?")
    seen = set()
    for i in range(40):
        row = noul_row(asked._replace(key=f"k{i}"), {"original": asked.said, "swapped": "Did Tom Weber tour?"})
        seen.add((row.state["rewrite"], tuple(row.answers)))
        assert row.answers["complete"].noul == (row.state["rewrite"] == asked.rewrite)
    assert seen == {
        (asked.rewrite, ("complete", "faithful", "standalone")),
        (asked.said, ("complete", "standalone")),
        ("Did Tom Weber tour?", ("complete", "faithful")),
    }


def test_a_long_dialogue_is_dropped_not_cut():
    asked = turn("Did she tour?", "Did Mara Lind tour?", dialogue=("x" * 2401,))
    assert list(turn_rows(asked, [])) == [Drop("dialogue longer than 2,400 characters")]
