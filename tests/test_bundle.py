import shutil

import msgspec
import pytest

from searchjev.bundle import Calibration, bundled_path, load_bundle
from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError
from searchjev.prompt import PROMPT_VERSION


@pytest.fixture
def bundle(tmp_path):
    """A bundle of the right form whose model is not a model: loading it needs no network."""
    (tmp_path / "model.onnx").write_bytes(b"weights")
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    info = {
        "format": 1, "name": "toy", "version": "1", "release_date": "2026-12-01", "description": "d",
        "readout": "span_encoder", "prompt_version": PROMPT_VERSION, "max_tokens": 2048, "max_state_positions": 384,
        "max_positions": 512, "model_sha256": file_sha256(tmp_path / "model.onnx"),
        "tokenizer_sha256": file_sha256(tmp_path / "tokenizer.json"), "files": {},
    }  # fmt: skip
    (tmp_path / "bundle.json").write_bytes(msgspec.json.encode(info))
    return tmp_path


def calibration(bundle, **changes) -> None:
    values = {
        "id": "c1", "model_sha256": file_sha256(bundle / "model.onnx"), "prompt_version": PROMPT_VERSION,
        "temperature": {"noul": 1.3}, "counts": {"noul": 500}, "fitted_on": "val", "release_manifest_sha256": "",
    } | changes  # fmt: skip
    (bundle / "calibration.json").write_bytes(msgspec.json.encode(values))


def change(bundle, **fields) -> None:
    info = msgspec.json.decode((bundle / "bundle.json").read_bytes()) | fields
    (bundle / "bundle.json").write_bytes(msgspec.json.encode(info))


def test_a_whole_bundle_loads(bundle):
    calibration(bundle)
    loaded = load_bundle(bundle)
    assert loaded.info.name == "toy" and isinstance(loaded.calibration, Calibration)


def test_an_altered_file_is_refused(bundle):
    (bundle / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(ArtifactError, match=r"model\.onnx: sha256 .*altered or belongs to another bundle"):
        load_bundle(bundle)


def test_a_missing_file_is_named(bundle):
    (bundle / "tokenizer.json").unlink()
    with pytest.raises(ArtifactError, match=r"tokenizer\.json is missing"):
        load_bundle(bundle)


def test_a_calibration_of_another_model_is_refused(bundle):
    calibration(bundle, model_sha256="0" * 64)
    with pytest.raises(ArtifactError, match="fitted for model 000000000000"):
        load_bundle(bundle)


def test_another_prompt_version_is_refused(bundle):
    change(bundle, prompt_version="0")
    with pytest.raises(ArtifactError, match="prompt version 0, this searchjev renders"):
        load_bundle(bundle)


def test_unknown_fields_and_formats_are_refused(bundle):
    change(bundle, format=99)
    with pytest.raises(ArtifactError, match="bundle format 99, expected 1"):
        load_bundle(bundle)
    change(bundle, format=1, colour="red")
    with pytest.raises(ArtifactError, match="unknown field `colour`"):
        load_bundle(bundle)


def test_no_bundle_at_all(tmp_path):
    with pytest.raises(ArtifactError, match="is no bundle"):
        load_bundle(tmp_path)


def test_the_bundled_model_is_whole_and_small(tmp_path):
    copy = shutil.copytree(bundled_path(), tmp_path / "copy")
    assert load_bundle(copy).info.name == "searchjev-mini"
    assert sum(path.stat().st_size for path in copy.iterdir()) <= 64 * 2**20
