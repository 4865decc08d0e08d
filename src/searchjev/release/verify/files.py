"""Claims about whole files: sizes, digests, strict lines; and the reader that every other check goes by."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from searchjev.digest import file_sha256
from searchjev.release.files import IndexRow, Line, Manifest
from searchjev.release.item import one_line
from searchjev.release.verify.claim import Check, Claim, Place
from searchjev.schema import Sample


def file_claims(release: Path, manifest: Manifest) -> Iterator[Claim]:
    """Every file is there with the stated size, lines and SHA-256, and no other file is."""
    failed = [failure for name in manifest.files if (failure := _difference(release, manifest, name))]
    found = f"{len(manifest.files) - len(failed)} of {len(manifest.files)} match"
    yield Claim("files", "bytes, rows, SHA-256 of the manifest", found, failed[0] if failed else None)
    known = {*manifest.files, "manifest.json"}
    extra = sorted(path.name for path in release.iterdir() if path.name not in known)
    yield Claim("no other files", "only the manifest's", f"{len(extra)} others", extra[0] if extra else None)


def _difference(release: Path, manifest: Manifest, name: str) -> str | None:
    path, entry = release / name, manifest.files[name]
    if not path.is_file():
        return f"{name}, missing"
    if path.stat().st_size != entry.bytes:
        return f"{name}, bytes: {path.stat().st_size}, stated {entry.bytes}"
    if file_sha256(path) != entry.sha256:
        return f"{name}, sha256: differs from the manifest's"
    with path.open("rb") as file:
        rows = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    return None if rows == entry.rows else f"{name}, rows: {rows}, stated {entry.rows}"


class Seen(NamedTuple):
    """A pair of lines, where they stand, and their bytes."""

    at: Place
    line: Line
    raw: tuple[bytes, bytes]


class Lines(Check):
    """Every line is one JSON value of the declared form, written in the one canonical way."""

    name, stated = "lines", "one canonical JSON value of the declared form"

    def __init__(self, release: Path) -> None:
        super().__init__()
        self.release = release
        self.sample_of = msgspec.json.Decoder(Sample)
        self.index_of = msgspec.json.Decoder(IndexRow)

    def read(self, name: str) -> Iterator[Seen]:
        """Every readable pair of lines of NAME.jsonl and its index; the others count as failures."""
        data, index = self.release / f"{name}.jsonl", self.release / f"{name}_index.jsonl"
        if not (data.is_file() and index.is_file()):
            self.expect(False, f"{name}.jsonl or {name}_index.jsonl, missing")
            return
        with data.open("rb") as samples, index.open("rb") as rows:
            offset = 0
            for number, sample in enumerate(samples, 1):
                if seen := self._pair(Place(name, number, offset), sample, rows.readline()):
                    yield seen
                offset += len(sample)
            if rows.readline():
                self.fail(f"{index.name}: more lines than {data.name}")

    def _pair(self, at: Place, data: bytes, index: bytes) -> Seen | None:
        where = at.in_data("")
        try:
            sample = self.sample_of.decode(data)
            where = at.in_index("")
            row = self.index_of.decode(index)
        except msgspec.DecodeError as error:
            self.expect(False, f"{where}{error}")
            return None
        self.expect(one_line(sample) == data, at.in_data("not written canonically"))
        self.expect(one_line(row) == index, at.in_index("not written canonically"))
        return Seen(at, Line(sample, row), (data, index))
