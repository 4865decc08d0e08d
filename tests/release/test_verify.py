"""Verify against releases that were tampered with: each defect fails its own claim, at its own place."""

import json
import shutil
from pathlib import Path

import pytest

from searchjev.cli.main import main
from searchjev.digest import file_sha256
from searchjev.release.verify.run import verify


@pytest.fixture
def copy(built, tmp_path):
    return Path(shutil.copytree(built, tmp_path / "copy"))


def sign(release: Path) -> None:
    """Make the manifest agree with the files, so that only the deeper claims can notice."""
    manifest = json.loads((release / "manifest.json").read_text("utf-8"))
    for name, entry in manifest["files"].items():
        data = (release / name).read_bytes()
        entry |= {"bytes": len(data), "rows": data.count(b"\n"), "sha256": file_sha256(release / name)}
    (release / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def change(release: Path, name: str, edit) -> None:
    """Edit the rows of a file in place, and sign."""
    path = release / name
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = edit(rows) or rows
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text(text, "utf-8")
    sign(release)


def failures(release: Path, tokenizer: Path, *, full: bool = True) -> dict[str, str]:
    return {claim.name: claim.failed_at for claim in verify(release, tokenizer, full=full) if claim.failed_at}


def test_a_sound_release_holds(built, tokenizer_path):
    claims = list(verify(built, tokenizer_path, full=True))
    assert not [claim for claim in claims if claim.verdict != "holds"]
    assert len(claims) > 20


def test_without_the_tokenizer_the_counts_are_said_to_be_unchecked(built, tmp_path):
    unchecked = [claim for claim in verify(built, tmp_path / "none.json") if claim.verdict == "not checked"]
    assert [claim.name for claim in unchecked] == ["token counts"]
    assert "--tokenizer" in unchecked[0].found


def test_a_flipped_byte_fails_the_files(copy, tokenizer_path):
    data = bytearray((copy / "train.jsonl").read_bytes())
    data[40] ^= 1
    (copy / "train.jsonl").write_bytes(bytes(data))
    assert failures(copy, tokenizer_path) == {"files": "train.jsonl, sha256: differs from the manifest's"}


def test_an_unlisted_file_is_named(copy, tokenizer_path):
    (copy / "extra.txt").write_text("x", "utf-8")
    assert failures(copy, tokenizer_path) == {"no other files": "extra.txt"}


def test_a_group_in_two_splits(copy, tokenizer_path):
    moved = json.loads((copy / "test_index.jsonl").read_text("utf-8").splitlines()[0])["canonical_group"]

    def edit(rows):
        rows[2]["canonical_group"] = moved

    change(copy, "train_index.jsonl", edit)
    assert failures(copy, tokenizer_path)["groups"].startswith("test_index.jsonl, line 1, canonical_group")


def test_a_repeated_row(copy, tokenizer_path):
    for name in ("train.jsonl", "train_index.jsonl"):
        change(copy, name, lambda rows: [*rows, rows[0]])
    found = failures(copy, tokenizer_path)
    last = len((copy / "train.jsonl").read_text("utf-8").splitlines())
    assert found["exact duplicates"].startswith(f"train.jsonl, line {last}, questions.")
    assert found["alignment"] == f"train_index.jsonl, line {last}, sample_id"
    assert "rows" in found and "report" in found and "flow" in found


def test_a_near_duplicate_in_another_split(copy, tokenizer_path):
    lines = (copy / "train.jsonl").read_text("utf-8").splitlines()
    number, state = max(enumerate(json.loads(line)["state"] for line in lines), key=lambda one: len(str(one[1])))

    def edit(rows):
        rows[0]["state"] = {**state, "note": "seen"}

    change(copy, "test.jsonl", edit)
    found = failures(copy, tokenizer_path)["near duplicates"]
    assert found == f"test.jsonl, line 1, state: nearly that of train.jsonl, line {number + 1}"


def first_of(rows, kind: str) -> tuple[int, str]:
    return next(
        (i, name)
        for i, row in enumerate(rows)
        for name, question in row["questions"].items()
        if question["type"] == kind
    )


def test_a_turned_label(copy, tokenizer_path):
    place = []

    def edit(rows):
        i, name = first_of(rows, "noul")
        rows[i]["answers"][name]["noul"] = 1.0 - rows[i]["answers"][name]["noul"]
        place.append((i + 1, name))

    change(copy, "test.jsonl", edit)
    [(line, name)] = place
    assert failures(copy, tokenizer_path) == {"alignment": f"test_index.jsonl, line {line}, gold.{name}"}


def test_a_distribution_that_does_not_sum_to_one(copy, tokenizer_path):
    place = []

    def edit(rows):
        i, name = first_of(rows, "choice")
        probabilities = rows[i]["answers"][name]["probabilities"]
        probabilities[next(option for option, p in probabilities.items() if p == 0.0)] = 0.5
        place.append(f"test.jsonl, line {i + 1}, answers.{name}")

    change(copy, "test.jsonl", edit)
    assert failures(copy, tokenizer_path)["answers"] == place[0]


def test_a_wrong_type_names_line_and_field(copy, tokenizer_path):
    def edit(rows):
        rows[3]["difficulty"] = "hard"

    change(copy, "val.jsonl", edit)
    found = failures(copy, tokenizer_path)["lines"]
    assert found.startswith("val.jsonl, line 4, ") and "difficulty" in found


def test_other_weights_change_the_shares(copy, tokenizer_path):
    def edit(rows):
        for row in rows:
            if row["decision_bucket"] == "A":
                row["row_loss_scale"] /= 2

    change(copy, "train_index.jsonl", edit)
    assert failures(copy, tokenizer_path)["loss share of A"] == "budget.json, realised.A"


def test_a_false_token_count(copy, tokenizer_path):
    def edit(rows):
        tokens = rows[0]["token_preflight"]["tokens"]
        tokens[next(iter(tokens))] += 1

    change(copy, "train_index.jsonl", edit)
    assert failures(copy, tokenizer_path)["token counts"].startswith("train_index.jsonl, line 1, token_preflight")


def test_a_held_out_source_in_train(copy, tokenizer_path):
    def edit(rows):
        rows[0]["source"] = "musique"

    change(copy, "train_index.jsonl", edit)
    assert failures(copy, tokenizer_path)["held-out sources"] == "train_index.jsonl, line 1, source"


def test_answers_in_the_blind_file(copy, tokenizer_path):
    def edit(rows):
        rows[0]["answers"] = {}

    change(copy, "calibration_blind.jsonl", edit)
    assert failures(copy, tokenizer_path)["calibration"].startswith("calibration_blind.jsonl, line 1, fields")


def test_a_selection_row_of_train(copy, tokenizer_path):
    def edit(rows):
        rows[0]["sample_id"] = "someone/else/nli"

    change(copy, "model_selection_index.jsonl", edit)
    assert failures(copy, tokenizer_path)["model selection"] == "model_selection_index.jsonl, line 1, sample_id"


def test_a_lost_reject(copy, tokenizer_path):
    change(copy, "rejects.jsonl", lambda rows: rows[1:])
    assert failures(copy, tokenizer_path) == {"rejects": "data_report.json, drops"}


def test_a_polished_figure(copy, tokenizer_path):
    path = copy / "DATA_REPORT.md"
    path.write_text(path.read_text("utf-8").replace("| train |", "| train  |"), "utf-8")
    sign(copy)
    assert failures(copy, tokenizer_path) == {"page": "DATA_REPORT.md"}


def test_the_command_names_the_first_failure(copy, tokenizer_path, capsys):
    assert main(["verify", str(copy), "--tokenizer", str(tokenizer_path)]) == 0
    (copy / "budget.json").unlink()
    assert main(["verify", str(copy), "--tokenizer", str(tokenizer_path)]) == 1
    assert "files fails at budget.json, missing" in capsys.readouterr().err
    assert main(["verify", str(copy / "none")]) == 2
