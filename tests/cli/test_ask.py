import io
import json
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

import searchjev.decide
from searchjev import Choice, Noul, Score
from searchjev.cli.answer_table import bar, print_answers
from searchjev.cli.main import main
from tests.cli.fake_model import FakeModel

REQUEST = {
    "model": "jev-latest",
    "state": {"question": "谁导演了这部电影？", "evidence": ["蒂姆·波顿导演了它。"]},
    "questions": {
        "够了": {"type": "noul", "instructions": "证据足够回答问题吗？", "criteria": {"true": "足够"}},
        "next": {"type": "choice", "instructions": "What next?", "criteria": {"answer": "give it", "search": None}},
        "how": {"type": "score", "criteria": ["bad", "fair", "good"]},
    },
}


@pytest.fixture(autouse=True)
def model(monkeypatch):
    monkeypatch.setattr(searchjev.decide, "SearchJev", FakeModel)


def ask(capsys, *arguments):
    status = main(["ask", *arguments])
    out = capsys.readouterr()
    return SimpleNamespace(status=status, out=out.out, err=out.err)


def test_flags_in_order_make_questions(capsys):
    result = ask(
        capsys, "--state", "Tim Burton directed Ed Wood.", "--noul", "Is it known?", "--choice", "Next?", "--option",
        "answer", "--option", "search=look for x=y", "--score", "How good?", "--level", "bad", "--level", "good",
    )  # fmt: skip
    assert result.status == 0
    assert FakeModel.last == (
        "Tim Burton directed Ed Wood.",
        {
            "q1": Noul("Is it known?"),
            "q2": Choice({"answer": None, "search": "look for x=y"}, "Next?"),
            "q3": Score(["bad", "good"], "How good?"),
        },
    )
    assert (
        "P(true) 0.667" in result.out and "answer  (confidence" in result.out and "search: look for x=y" in result.out
    )


def test_a_file_holds_a_request(capsys, tmp_path):
    path = tmp_path / "request.json"
    path.write_text(json.dumps(REQUEST, ensure_ascii=False), encoding="utf-8")
    result = ask(capsys, str(path), "--json")
    body = json.loads(result.out)
    assert body["model"] == "fake" and list(body["answers"]) == list(REQUEST["questions"])
    assert body["answers"]["next"]["choice"] == "answer"
    assert body["answers"]["how"]["legend"] == {"0": "bad", "1": "fair", "2": "good"}
    assert FakeModel.last[0] == REQUEST["state"]


def test_standard_input_and_no_model_name(capsys, monkeypatch):
    request = {name: value for name, value in REQUEST.items() if name != "model"}
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(request).encode())))
    assert ask(capsys, "-").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no state"),
        (["--state", "x"], "no question"),
        (["--state", "x", "--option", "a"], "--option 'a': expected after a --choice"),
        (["--state", "x", "--score", "s", "--option", "a"], "--option 'a': expected after a --choice"),
        (["--state", "x", "--noul", "n", "--choice", "c"], "questions.q2.criteria: none, expected --option"),
        (["--state", "x", "--choice", "c", "--option", "a", "--option", "a=b"], "questions.q1.criteria: option 'a' tw"),
        (["--state", "x", "--score", "s", *["--level", "l"] * 11], "questions.q1.criteria: 11 levels, expected 1 to"),
        (["x.json", "--noul", "n"], "expected one of them"),
        (["no-such-file.json"], "no-such-file.json: No such file"),
        (["--state", "x" * 6000, "--noul", "n"], "questions.q1: 6000 tokens"),
    ],
)
def test_errors_are_one_line_and_exit_2(capsys, arguments, message):
    result = ask(capsys, *arguments)
    assert result.status == 2 and message in result.err and result.out == ""
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state": None}, "state: null, expected"),
        ({"questions": {"a": {"type": "choice", "criteria": {}}}}, "questions.a.choice.criteria: 0 options"),
        ({"questions": {"a": {"type": "guess"}}}, "questions.a.type: 'guess', expected noul, choice or score"),
    ],
)
def test_a_wrong_file_names_question_and_field(capsys, tmp_path, change, message):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(REQUEST | change))
    result = ask(capsys, str(path))
    assert result.status == 2 and f"{path}: {message}" in result.err


def test_text_that_looks_like_markup_is_printed_as_it_is(capsys):
    result = ask(capsys, "--state", "x", "--choice", "[bold]?[/x]", "--option", "[red]a[/red]", "--option", "b")
    assert "[bold]?[/x]" in result.out and "[red]a[/red]" in result.out


def test_many_options_show_the_likeliest_and_count_the_rest():
    console = Console(record=True, width=100, file=io.StringIO())
    question = Choice({f"option {n}": None for n in range(30)}, "Which?")
    print_answers({"q": question}, FakeModel().decide("x", {"q": question}), console)
    text = console.export_text()
    assert "option 9" in text and "option 10" not in text and "20 more" in text


@pytest.mark.parametrize(("probability", "cells"), [(0.0, 0), (1.0, 24), (0.5, 12), (0.001, 0), (0.51, 13)])
def test_bars(probability, cells):
    assert len(bar(probability)) == cells
