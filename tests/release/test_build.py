"""The build end to end: from the sources' fixtures to a release, byte for byte the same whoever builds it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import msgspec
import pytest

from searchjev.errors import ArtifactError, SourceError
from searchjev.release.build import build
from searchjev.release.files import SPLITS, read_manifest
from searchjev.release.reader import read_lines
from searchjev.schema import BUCKETS, Noul


def digests(folder) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def lines(folder, name):
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def test_a_release_holds_every_file_and_every_split(built):
    manifest = read_manifest(built)
    assert {path.name for path in built.iterdir()} == {*manifest.files, "manifest.json"}
    assert all(manifest.files[f"{split}.jsonl"].rows for split in SPLITS)
    assert manifest.source_files and len(manifest.config_sha256) == 64


def test_rows_and_index_agree(built):
    seen = set()
    for split in SPLITS:
        for line in read_lines(built, split):
            names = list(line.sample.questions)
            assert names and names == list(line.sample.answers) == list(line.row.loss_weight)
            assert line.row.sample_id not in seen
            seen.add(line.row.sample_id)
            assert all(question.instructions for question in line.sample.questions.values())


def test_nothing_is_lost_without_a_line_in_rejects(built):
    report = json.loads((built / "data_report.json").read_text("utf-8"))
    rejects = lines(built, "rejects.jsonl")
    read = report["flow"]["read"]
    assert read["dropped"] == sum(reject["step"] == "read" for reject in rejects)
    assert sum(report["drops"].values()) == len(rejects)
    steps = list(report["flow"].values())
    assert all(before["kept"] == after["read"] for before, after in zip(steps, steps[1:], strict=False))
    assert steps[-1]["kept"] == sum(read_manifest(built).files[f"{split}.jsonl"].rows for split in SPLITS)


def test_some_statements_are_turned_round(built):
    answers = [
        answer.noul
        for split in SPLITS
        for line in read_lines(built, split)
        for name, answer in line.sample.answers.items()
        if isinstance(line.sample.questions[name], Noul)
    ]
    assert 0.2 < sum(answers) / len(answers) < 0.8


def test_bucket_shares_are_stated_as_they_are(built):
    budget = json.loads((built / "budget.json").read_text("utf-8"))
    assert set(budget["target"]) <= set(BUCKETS)
    assert sum(budget["realised"].values()) == pytest.approx(1)
    for bucket, wanted in budget["target"].items():
        if not budget["capped"]:
            assert budget["realised"][bucket] == pytest.approx(wanted)


def test_the_blind_file_holds_no_answers(built):
    blind, reference = lines(built, "calibration_blind.jsonl"), lines(built, "calibration_reference.jsonl")
    assert blind and [row["sample_id"] for row in blind] == [row["sample_id"] for row in reference]
    assert all(set(row) == {"sample_id", "state", "questions"} for row in blind)


@pytest.mark.parametrize(("workers", "seed"), [(1, "1"), (3, "77")])
def test_bytes_depend_on_neither_workers_nor_hash_seed(workers, seed, built, release_config, tmp_path):
    config = tmp_path / "release.toml"
    values = {name: getattr(release_config, name) for name in ("name", "release_version", "sources", "tokenizer")}
    values |= {"calibration_rows": 20, "selection_rows": 120}
    config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()), "utf-8")
    command = [sys.executable, "-m", "searchjev.cli.main", "build", str(config), "--out", str(tmp_path / "out")]
    subprocess.run([*command, "--workers", str(workers)], check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    assert digests(tmp_path / "out") == digests(built)


def test_a_rebuild_replaces_the_old_release(built, release_config, tmp_path):
    again = msgspec.structs.replace(release_config, out=str(tmp_path / "out"), max_rows=3)
    first = digests(build(again))
    assert digests(build(again)) == first != digests(built)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_build_that_fails_leaves_the_old_release(built, release_config, tmp_path, monkeypatch):
    config = msgspec.structs.replace(release_config, out=str(tmp_path / "out"), max_rows=3)
    before = digests(build(config))
    monkeypatch.setattr("searchjev.release.publish.write_rejects", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build(config)
    assert digests(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_build_left_is_cleared(built, release_config, tmp_path):
    config = msgspec.structs.replace(release_config, out=str(tmp_path / "out"))
    for name in ("out.building", "out.old"):
        (tmp_path / name / "work").mkdir(parents=True)
    shutil.copytree(built, tmp_path / "out")
    assert digests(build(config)) == digests(built)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_release_lost_between_the_renames_is_found_again(built, release_config, tmp_path):
    shutil.copytree(built, tmp_path / "out.old")
    with pytest.raises(SourceError):
        build(msgspec.structs.replace(release_config, out=str(tmp_path / "out"), sources=str(tmp_path / "none")))
    assert digests(tmp_path / "out") == digests(built)


def test_a_folder_of_other_things_is_left_alone(release_config, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine", "utf-8")
    with pytest.raises(ArtifactError, match="thesis.txt"):
        build(msgspec.structs.replace(release_config, out=str(tmp_path / "out")))
    assert (tmp_path / "out" / "thesis.txt").is_file()


def test_missing_sources_are_reported(release_config, tmp_path):
    config = msgspec.structs.replace(release_config, out=str(tmp_path / "out"), sources=str(tmp_path / "none"))
    with pytest.raises(SourceError, match="no source file found"):
        build(config)


def test_an_unknown_source_lists_near_ones(release_config, tmp_path):
    with pytest.raises(SourceError, match="hotpotqa"):
        build(msgspec.structs.replace(release_config, out=str(tmp_path / "out")), only=["hotpotq"])


def test_a_missing_tokenizer_says_how_to_get_one(release_config, tmp_path):
    with pytest.raises(ArtifactError, match="--tokenizer"):
        build(msgspec.structs.replace(release_config, out=str(tmp_path / "out"), tokenizer=str(tmp_path / "no.json")))
