"""A release's own lines: separators inside texts split nothing, and writing again gives the same bytes."""

import msgspec
import pytest

from searchjev.errors import ArtifactError
from searchjev.release.files import IndexRow
from searchjev.release.reader import read_lines
from searchjev.schema import Sample
from tests import tiny

TEXTS = ["first\u2028second", "前面\u0085后面", "tail\u2029end"]


@pytest.fixture
def release(tmp_path):
    samples = [msgspec.structs.replace(tiny.sample(n), state={"question": text}) for n, text in enumerate(TEXTS)]
    index = [tiny.index_row(n, sample, split="train") for n, sample in enumerate(samples)]
    for name, items in (("train.jsonl", samples), ("train_index.jsonl", index)):
        (tmp_path / name).write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in items))
    return tmp_path


def test_separators_split_no_line(release):
    lines = list(read_lines(release, "train"))
    assert [line.sample.state["question"] for line in lines] == TEXTS
    assert [line.row.sample_id for line in lines] == [f"toy/train-{n}/marginal_gain" for n in range(3)]


def test_writing_what_was_read_gives_the_same_bytes(release):
    for name, kind in (("train.jsonl", Sample), ("train_index.jsonl", IndexRow)):
        data = (release / name).read_bytes()
        again = [msgspec.json.encode(msgspec.json.decode(line, type=kind)) for line in data.split(b"\n") if line]
        assert b"".join(line + b"\n" for line in again) == data


def test_a_cut_file_is_named(release):
    data = (release / "train.jsonl").read_bytes()
    (release / "train.jsonl").write_bytes(data[:-20])
    with pytest.raises(ArtifactError, match=r"train\.jsonl, line 3"):
        list(read_lines(release, "train"))
    (release / "train.jsonl").write_bytes(data.split(b"\n")[0] + b"\n")
    with pytest.raises(ArtifactError, match="differ in lines"):
        list(read_lines(release, "train"))
