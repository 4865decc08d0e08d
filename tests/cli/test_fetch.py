"""`searchjev fetch`: what it downloads, what it leaves alone, and the steps for a person."""

import gzip
import lzma
from hashlib import sha256

import pytest

from searchjev.cli import fetch as verb
from searchjev.cli.main import main
from searchjev.source import File, Source
from tests.fetch.broken_server import BrokenServer, serving

DATA = b'{"text": "a line of data"}\n' * 8000
DIGEST = sha256(DATA).hexdigest()
OTHER = DATA[::-1]


@pytest.fixture
def server():
    return BrokenServer({"/train.jsonl": DATA})


@pytest.fixture
def site(server):
    with serving(server) as url:
        yield url


def toy(*files: File) -> Source:
    return Source(
        name="toy", home="https://toy.example.org", licence="MIT", licence_class="open", languages=("en",),
        capabilities=("nli",), files=files, note="only dev is published",
    )  # fmt: skip


@pytest.fixture
def fetch(monkeypatch, tmp_path):
    """`searchjev fetch toy` of a source with the given files."""

    def fetch(*files: File, options=()) -> int:
        monkeypatch.setattr(verb, "get_source", lambda name: toy(*files))
        return main(["fetch", "toy", "--sources", str(tmp_path), "--retries", "0", *options])

    return fetch


def test_the_verb_fetches_and_skips_what_is_there(site, server, fetch, tmp_path, capsys):
    file = File(name="train.jsonl", url=f"{site}/train.jsonl", sha256=DIGEST)
    assert fetch(file) == 0 and (tmp_path / "toy" / "train.jsonl").read_bytes() == DATA
    assert "toy/train.jsonl: fetched, 216,000 bytes, sha256 as declared" in capsys.readouterr().out
    assert fetch(file) == 0 and len(server.asked) == 1
    assert "present, sha256 as declared" in capsys.readouterr().out


def test_the_verb_asks_a_mirror_of_the_hub(site, server, fetch, tmp_path):
    server.files["/datasets/a/b/resolve/c0ffee/train.jsonl"] = DATA
    assert fetch(File(name="train.jsonl", url="hf://datasets/a/b/train.jsonl@c0ffee"), options=["--hub", site]) == 0
    assert (tmp_path / "toy" / "train.jsonl").read_bytes() == DATA


def test_a_compressed_file_keeps_its_suffix(site, server, fetch, tmp_path):
    server.files["/train.jsonl.gz"] = packed = gzip.compress(DATA)
    file = File(name="data/train.jsonl", url=f"{site}/train.jsonl.gz", sha256=sha256(packed).hexdigest())
    assert fetch(file) == 0 and (tmp_path / "toy" / "data" / "train.jsonl.gz").read_bytes() == packed
    assert fetch(file) == 0 and len(server.asked) == 1


def test_a_file_packed_later_is_compared_by_what_it_holds(fetch, tmp_path, capsys):
    (tmp_path / "toy").mkdir()
    path = tmp_path / "toy" / "train.jsonl.xz"
    path.write_bytes(lzma.compress(DATA))
    assert fetch(File(name="train.jsonl", sha256=DIGEST)) == 0
    assert "present, sha256 as declared" in capsys.readouterr().out
    path.write_bytes(lzma.compress(DATA)[:-20])
    assert fetch(File(name="train.jsonl", sha256=DIGEST)) == 2
    assert "expected a whole file; move it away" in capsys.readouterr().err


def test_a_wrong_file_that_is_there_stays_and_is_named(site, server, fetch, tmp_path, capsys):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "train.jsonl").write_bytes(OTHER)
    assert fetch(File(name="train.jsonl", url=f"{site}/train.jsonl", sha256=DIGEST)) == 2
    assert (tmp_path / "toy" / "train.jsonl").read_bytes() == OTHER and server.asked == []
    err = capsys.readouterr().err
    assert f"sha256 {sha256(OTHER).hexdigest()}, expected {DIGEST}; move it away" in err


def test_an_unpacked_file_can_not_be_compared(fetch, tmp_path, capsys):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "train.jsonl").write_bytes(DATA)
    assert fetch(File(name="train.jsonl", url="https://a.org/train.jsonl.gz", sha256="0" * 64)) == 0
    assert "present, not checked" in capsys.readouterr().out


def test_files_without_an_address_come_with_steps(fetch, tmp_path, capsys):
    assert fetch(File(name="dev.json"), File(name="more.json", optional=True)) == 2
    out = capsys.readouterr().out
    assert "Open https://toy.example.org" in out and "more.json (optional)" in out
    assert f"Put them into {tmp_path / 'toy'}" in out and "Note: only dev is published." in out
    assert "0 sources complete, 1 to get by hand, 0 failed" in out


def test_an_optional_file_by_hand_is_not_needed(site, fetch, capsys):
    assert fetch(File(name="train.jsonl", url=f"{site}/train.jsonl"), File(name="more.json", optional=True)) == 0
    assert "1 sources complete" in capsys.readouterr().out


def test_one_file_that_fails_does_not_keep_the_others_away(site, fetch, tmp_path, capsys):
    assert fetch(*(File(name=name, url=f"{site}/{name}") for name in ("gone.jsonl", "train.jsonl"))) == 2
    assert (tmp_path / "toy" / "train.jsonl").read_bytes() == DATA
    said = capsys.readouterr()
    assert "gone.jsonl: status 404, expected the file; get it by hand from https://toy.example.org" in said.err
    assert "1 failed" in said.out


def test_all_means_every_source(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(verb, "all_sources", lambda: {"toy": toy(File(name="dev.json"))})
    assert main(["fetch", "--all", "--sources", str(tmp_path)]) == 2
    assert "1 to get by hand" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no name, expected names or --all"),
        (["hotpotqa", "--all"], "names and --all"),
        (["hotpotq"], "near: hotpotqa"),
        (["hotpotqa", "--retries", "-1"], "--retries -1, expected 0 or more"),
    ],
)
def test_wrong_arguments_say_what_to_do(arguments, said, capsys):
    assert main(["fetch", *arguments]) == 2
    assert said in capsys.readouterr().err
