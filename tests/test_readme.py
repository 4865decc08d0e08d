"""What the README shows must work: requests, Python, commands, paths and links."""

import argparse
import json
import re
import shlex
from pathlib import Path

import pytest

import searchjev
from searchjev.cli.ask import add_arguments, asked_of
from searchjev.cli.main import VERBS
from searchjev.wire import parse_request
from tests.cli.fake_model import FakeModel

ROOT = Path(__file__).resolve().parents[1]
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md")}
each_readme = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def blocks(text: str, language: str) -> list[str]:
    """Bodies of the fenced blocks of one language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [body for name, body in found if name == language]


def commands(text: str) -> list[list[str]]:
    """Words of every command after a $."""
    shown = "\n".join(blocks(text, "console")).replace("\\\n", " ")
    return [shlex.split(part) for part in re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]]


@each_readme
def test_the_request_is_one(text):
    bodies = [words[words.index("-d") + 1] for words in commands(text) if words[0] == "curl"]
    assert len(bodies) == 1
    request = parse_request(bodies[0].encode())
    assert list(request.questions) == ["enough", "next"] and json.loads(bodies[0])["model"] == "jev-latest"


@each_readme
def test_the_python_runs(text, monkeypatch, capsys):
    monkeypatch.setattr(searchjev, "SearchJev", FakeModel, raising=False)
    monkeypatch.setattr(FakeModel, "load", classmethod(lambda cls: cls()))
    (code,) = blocks(text, "python")
    exec(compile(code, "README", "exec"), {})
    assert FakeModel.last[1].keys() == {"enough", "next"}


@each_readme
def test_every_command_exists(text):
    used = [words[1] for words in commands(text) if words[0].endswith("searchjev")]
    assert {"ask", "serve", "train"} <= {*used} <= VERBS.keys()
    assert set(re.findall(r"^\| `searchjev (\w+)", text, re.MULTILINE)) == VERBS.keys()


@each_readme
def test_the_ask_command_asks(text):
    (words,) = [words for words in commands(text) if words[1:2] == ["ask"]]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    asked = asked_of(parser.parse_args(words[2:]))
    assert [type(question).__name__ for question in asked.questions.values()] == ["Noul", "Choice"]


@each_readme
def test_the_tree_shows_what_is_there(text):
    (tree,) = [block for block in blocks(text, "") if "src/searchjev/" in block]
    for line in tree.splitlines():
        name = line.split()[0]
        path = ROOT / "src" / "searchjev" / name if line.startswith("  ") else ROOT / name
        assert path.exists(), f"{path} is shown in the tree"


@each_readme
def test_links_and_configs_exist(text):
    targets = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"configs/\w+\.toml", text)
    assert targets and all((ROOT / target).exists() for target in targets)


def test_both_languages_say_the_same_things():
    first, second = TEXTS.values()
    for pattern in (r"^#+ ", r"^- ", r"^\| ", r"^```"):
        assert len(re.findall(pattern, first, re.MULTILINE)) == len(re.findall(pattern, second, re.MULTILINE)), pattern
