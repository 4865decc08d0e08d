"""What has come of a file so far: FILE.part, and beside it FILE.part.json, which version of the file it belongs to."""

from pathlib import Path
from typing import BinaryIO

import msgspec

from searchjev.digest import file_sha256


class Version(msgspec.Struct, frozen=True):
    """Address that the bytes came from, and the server's own mark of the version: a strong ETag or a date."""

    url: str
    validator: str | None


class Part:
    """Bytes of one file, kept over tries and runs; the file itself appears only when they are whole."""

    def __init__(self, path: Path) -> None:
        self.target = path
        self.path = path.with_name(f"{path.name}.part")
        self._note = path.with_name(f"{path.name}.part.json")
        self.is_resumed = False

    @property
    def size(self) -> int:
        """Bytes that have come."""
        return self.path.stat().st_size if self.path.exists() else 0

    def version(self) -> Version | None:
        """Version that the bytes belong to; None where nothing says so."""
        try:
            return msgspec.json.decode(self._note.read_bytes(), type=Version)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def begin(self, version: Version) -> BinaryIO:
        """Start anew; the old bytes go first, so that no crash puts them under the new version's name."""
        self.drop()
        self._note.write_bytes(msgspec.json.encode(version))
        return self.path.open("wb")

    def go_on(self) -> BinaryIO:
        """Write behind what has come."""
        self.is_resumed = True
        return self.path.open("ab")

    def drop(self) -> None:
        """Forget what has come."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.is_resumed = False

    def sha256(self) -> str:
        """SHA-256 of what has come."""
        return file_sha256(self.path)

    def finish(self) -> None:
        """Give the file its name."""
        self.path.replace(self.target)
        self._note.unlink(missing_ok=True)
