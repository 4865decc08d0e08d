"""Releases that others wrote in the same form: read as they are, what is unknown kept, what is needed asked for."""

import json
import shutil
from pathlib import Path

import pytest

import searchjev
from searchjev.errors import ArtifactError
from searchjev.evaluate.cases import read_cases, read_keys
from searchjev.release.files import SPLITS
from searchjev.release.reader import Release, read_lines


def edit(path: Path, change) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(change(row) or row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def foreign_index(row: dict) -> None:
    """The same facts as another builder might state them."""
    row["reviewed_by"] = ["a", "b"]
    row["evaluation_eligible"] = True
    row["confidence"] = 0.9
    row["group_keys"] = {"mother": "m"}
    for name in ("token_preflight", "task_family", "teacher_reference_probability", "difficulty"):
        row.pop(name, None)


@pytest.fixture
def foreign(toy_release, tmp_path) -> Path:
    folder = Path(shutil.copytree(toy_release, tmp_path / "foreign"))
    for split in SPLITS:
        edit(folder / f"{split}_index.jsonl", foreign_index)
        edit(folder / f"{split}.jsonl", lambda row: row | {"comment": "kept"})
    multiplier = json.loads((folder / "manifest.json").read_text("utf-8"))["bucket_multiplier"]
    (folder / "training_config.json").write_text(json.dumps({"base": "Qwen3-1.7B", "bucket_multiplier": multiplier}))
    (folder / "manifest.json").write_text(json.dumps({"dataset": "SearchJev", "version": "v24", "files": {}}))
    return folder


def test_a_built_release_opens_by_its_folder(built):
    release = searchjev.Release.open(str(built))
    assert (release.name, release.version) == ("fixtures", "1")
    assert set(release.bucket_multiplier) <= set("A B1 B2 C D1 D2 D3 E".split())
    assert next(release.lines("model_selection")).extra == {}
    with pytest.raises(ArtifactError, match="expected train, val, test or model_selection"):
        release.lines("dev")


def test_a_foreign_release_gives_the_same_questions(toy_release, foreign):
    release = Release.open(foreign)
    assert (release.name, release.version) == ("SearchJev", "v24")
    assert release.bucket_multiplier == Release.open(toy_release).bucket_multiplier
    ours, theirs = list(read_lines(toy_release, "train")), list(release.lines("train"))
    assert [line.sample for line in theirs] == [line.sample for line in ours]
    assert [line.row.loss_weight for line in theirs] == [line.row.loss_weight for line in ours]
    assert theirs[0].extra == {"comment": "kept", "reviewed_by": ["a", "b"]}


def test_evaluation_reads_a_foreign_release(toy_release, foreign):
    assert [case.wanted for case in read_cases(foreign, "test", 5)] == [
        case.wanted for case in read_cases(toy_release, "test", 5)
    ]
    assert all(key.eligible for key in read_keys(foreign, "val"))


def test_a_missing_weight_names_line_and_field(foreign):
    def without(row):
        if row["sample_id"].startswith("toy/train-1/"):
            del row["loss_weight"]

    edit(foreign / "train_index.jsonl", without)
    with pytest.raises(ArtifactError, match=r"train_index\.jsonl, line 2: .*loss_weight"):
        list(read_lines(foreign, "train"))


def test_without_multipliers_the_error_says_where_they_belong(foreign):
    (foreign / "training_config.json").unlink()
    (foreign / "budget.json").unlink(missing_ok=True)
    with pytest.raises(ArtifactError, match="expected training_config.json"):
        Release.open(foreign)
