"""A file that is there already against its declared digest, which is that of the published bytes."""

import gzip
import hashlib
import lzma
import zlib
from pathlib import Path

from searchjev.digest import file_sha256
from searchjev.errors import SourceError

PACKED = (".xz", ".gz")


def is_checked(path: Path, sha256: str | None, suffix: str) -> bool:
    """Whether the digest could be compared; a SourceError where it differs, and the file stays as it is.

    `suffix` is .xz or .gz where the published file is compressed. A file compressed after it was published is compared
    by what it holds; one that was unpacked, or packed in another way than published, can't be.
    """
    found = None if sha256 is None else _digest(path, suffix)
    if found is not None and found != sha256:
        raise SourceError(f"{path}: sha256 {found}, expected {sha256}; move it away and fetch again")
    return found is not None


def _digest(path: Path, suffix: str) -> str | None:
    if path.name.endswith(suffix) and (suffix or path.suffix not in PACKED):
        return file_sha256(path)
    if suffix:
        return None
    try:
        with _unpacked(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise SourceError(f"{path}: {error}, expected a whole file; move it away and fetch again") from None


def _unpacked(path: Path) -> lzma.LZMAFile | gzip.GzipFile:
    return lzma.LZMAFile(path) if path.suffix == ".xz" else gzip.GzipFile(path)
