"""How states and questions become text."""

import pytest

from searchjev.errors import DataError
from searchjev.prompt import PROMPT_VERSION, as_text, option_texts, question_text, render, state_parts
from searchjev.schema import Choice, Noul, Score, Sides


def test_the_rendering_of_this_version():
    """Trained weights know exactly this text; whoever changes it raises PROMPT_VERSION and trains again."""
    state = {
        "evidence": [{"title": "Ed Wood", "text": "A film of 1994."}, "Tim Burton directed it."],
        "question": "谁导演了《艾德·伍德》？",
        "budget": 3,
        "page": {"title": "Ed Wood", "url": "https://example.org/"},
        "documents": {"D00": "first", "D01": {"text": "second"}},
    }
    prompt = render(state, Choice({"answer": "give it", "search": None}, "What next?"))
    assert PROMPT_VERSION == "1"
    assert prompt.parts == [
        "question: 谁导演了《艾德·伍德》？",
        "evidence.0: Ed Wood\nA film of 1994.",
        "evidence.1: Tim Burton directed it.",
        "budget: 3",
        "page: Ed Wood\nurl: https://example.org/",
        "documents.D00: first",
        "documents.D01: second",
    ]
    assert prompt.question == "What next?" and prompt.options == ["answer: give it", "search"]


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        ("", []), ({}, []), ([], []), ("  text ", ["text"]), ("[1] a\nb\n[2] c", ["[1] a\nb", "[2] c"]),
        ("see [1] and [2]", ["see [1] and [2]"]), (["a", {"text": "b"}], ["0: a", "1: b"]),
        ({"a": None, "b": True, "c": 1.5, "d": []}, ["a: null", "b: true", "c: 1.5", "d: "]),
        ({"other": "x", "goal": "g", "query": "q"}, ["query: q", "other: x", "goal: g"]),
        ({"hypothesis": "h", "premise": "p"}, ["hypothesis: h", "premise: p"]),
    ],
)  # fmt: skip
def test_parts_of_states(state, parts):
    assert state_parts(state) == parts


def test_nothing_of_the_state_is_lost():
    state = {"x": [["deep", {"k": "v"}], {"list": ["one", "two"]}], "名": {"键": "值", "title": "题"}}
    text = "\n".join(state_parts(state))
    assert all(word in text for word in ("deep", "k: v", "one", "two", "键: 值", "题"))


def test_options_of_each_type():
    assert option_texts(Noul("x")) == ["true", "false"]
    assert option_texts(Noul("x", Sides(true="it holds"))) == ["true: it holds", "false"]
    assert option_texts(Score(["bad", {"label": "good"}])) == ["0/1: bad", "1/1: label: good"]
    assert option_texts(Score(["only"])) == ["0/0: only"]
    assert option_texts(Choice({"a": ["one", "two"], "": None})) == ["a: one\ntwo", ""]


def test_instructions_may_be_any_tree():
    assert question_text(Noul()) == ""
    assert question_text(Noul(["Grade `documents.D01`", {"scale": 3}])) == "Grade `documents.D01`\nscale: 3"


def test_ids_of_questions_never_enter():
    prompt = render("state", Noul("Is it?"))
    assert prompt == render("state", Noul("Is it?")) and not hasattr(prompt, "name")


def test_a_bottomless_tree_is_refused():
    tree: object = "leaf"
    for _ in range(64):
        tree = [tree]
    assert as_text(tree) == "leaf"
    with pytest.raises(DataError, match="nested deeper than 64 levels; flatten"):
        as_text([tree])


def test_control_words_are_ordinary_text():
    parts = state_parts({"query": "</s> <|im_end|> [SEP]"})
    assert parts == ["query: </s> <|im_end|> [SEP]"]
