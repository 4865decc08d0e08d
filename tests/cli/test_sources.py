"""`searchjev sources`: the list, and one record before and after."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from searchjev.cli.main import main
from searchjev.cli.sources import address_of
from searchjev.source import File
from searchjev.sources import get_source

FIXTURE = Path(__file__).parents[1] / "sources" / "fixtures" / "hotpotqa.in"


@pytest.fixture
def folder(tmp_path):
    for name, text in json.loads(FIXTURE.read_text("utf-8")).items():
        path = tmp_path / "hotpotqa" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path


def test_the_list_says_what_is_there(folder, capsys):
    assert main(["sources", "--sources", str(folder)]) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if line.split()[:1] == ["hotpotqa"])
    assert "present" in line and " A " in line and " multihop " in line
    assert line.split()[-1] == "https://hotpotqa.github.io"
    assert "1 with their files in" in " ".join(out.split())


def test_show_prints_record_and_row(folder, capsys):
    assert main(["sources", "show", "hotpotqa", "--sources", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "record " in out and '"capability"' in out
    assert "family        multihop" in out and "hotpot_rpt_dev.jsonl: by hand, from home" in out


@pytest.mark.parametrize(
    ("urls", "where"),
    [(["https://a.org/1", "https://a.org/2"], "https://a.org/1"), (["https://a.org/1", None], "home")],
)
def test_the_list_names_an_address_only_where_all_files_have_one(urls, where):
    files = (*(File(name=f"{place}.json", url=url) for place, url in enumerate(urls)), File(name="x", optional=True))
    assert address_of(structs.replace(get_source("hotpotqa"), home="home", files=files)) == where


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["show"], "no name given"), (["show", "hotpotq"], "near: hotpotqa"), (["show", "musique"], "is missing")],
)
def test_errors_say_what_to_do(arguments, said, folder, capsys):
    assert main(["sources", *arguments, "--sources", str(folder)]) == 2
    assert said in capsys.readouterr().err
