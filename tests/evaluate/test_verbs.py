"""calibrate and evaluate as commands, on a bundle with a trivial network."""

import msgspec
import pytest

pytest.importorskip("onnx", reason="making a network needs the train extra")

from searchjev.bundle import load_bundle
from searchjev.cli.main import main
from tests.serve.tiny_bundle import write_bundle


@pytest.fixture
def bundle(tmp_path):
    return write_bundle(tmp_path / "bundle")


def test_calibrate_writes_a_file_that_the_bundle_loads(bundle, toy_release, capsys):
    assert main(["calibrate", str(bundle), str(toy_release)]) == 2
    assert "the bundle was trained on" in capsys.readouterr().err
    assert main(["calibrate", str(bundle), str(toy_release), "--any-release"]) == 0
    calibration = load_bundle(bundle).calibration
    out = capsys.readouterr().out
    assert f"calibration {calibration.id}" in out and "too_few_rows" in out
    assert calibration.flags["noul"] == "too_few_rows" and calibration.temperature["noul"] == 1.0
    assert not list(bundle.glob("*.part"))


def test_evaluate_prints_the_table_and_writes_both_files(bundle, toy_release, tmp_path, capsys):
    out = tmp_path / "evaluation"
    assert main(["evaluate", str(bundle), str(toy_release), "--limit", "20", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "| A | 20 |" in printed.out and "audit: pairs noul" in printed.err
    report = msgspec.json.decode((out / "evaluation.json").read_bytes())
    assert report["model"] == "toy 0.0.1" and report["calibration"] == "none" and report["cases"] == 20
    text = (out / "EVALUATION.md").read_text("utf-8")
    assert "## Audit: does the state decide?" in text and "| A | 20 |" in text


def test_after_calibration_its_rows_are_not_evaluated(bundle, toy_release, capsys):
    assert main(["calibrate", str(bundle), str(toy_release), "--any-release", "--limit", "6"]) == 0
    assert main(["evaluate", str(bundle), str(toy_release), "--split", "val"]) == 0
    groups = len(load_bundle(bundle).calibration.groups)
    assert f"| A | {36 - 3 * groups} |" in capsys.readouterr().out
