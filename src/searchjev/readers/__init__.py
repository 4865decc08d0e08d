"""Published file formats to raw records: `read_file(path, file)` yields a Raw or a Broken for each piece.

Nothing is guessed: no quoting in .tsv, no missing-value words, no numbers made of text; lines end at LF (and CR LF)
only, a byte-order mark is not part of the first name.
"""

import csv
import gzip
import io
import json
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from searchjev.errors import SourceError
from searchjev.source import Broken, File, Raw

MAX_FIELD = 2**31 - 1
"""Characters of one csv cell; the standard library's own limit of 131,072 ends a file in its middle."""


def locate(folder: Path, name: str) -> Path | None:
    """Path of a source's file, as named or compressed as .xz or .gz; None when it is not there."""
    candidates = (folder / name, folder / f"{name}.xz", folder / f"{name}.gz")
    return next((path for path in candidates if path.is_file()), None)


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, decompressed by its suffix (.xz, .gz)."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    return gzip.decompress(data) if path.suffix == ".gz" else data


def read_file(path: Path, file: File) -> Iterator[Raw | Broken]:
    """Records of one file by its declared reader; what can't be read comes as Broken with its line.

    Readers: jsonl (an object a line), json (the items of a list, anything else whole), tsv and csv (a dict a line,
    names from the first line), tsv_plain and csv_plain (a list a line), lines (a string a line), text (the whole file),
    tar (name and text of each file packed in it, numbered from 1).
    """
    if file.reader not in (*READERS, TAR):
        raise SourceError(f"{file.name}: unknown reader {file.reader!r}; known: {', '.join((*READERS, TAR))}")
    try:
        data = read_bytes(path)
        pieces = _members(data, file.encoding) if file.reader == TAR else READERS[file.reader](_text(data, file))
    except (UnicodeDecodeError, lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, tarfile.TarError) as error:
        yield Broken(file.name, 0, f"unreadable file: {type(error).__name__}")
        return
    for line, value in pieces:
        if isinstance(value, _Bad):
            yield Broken(file.name, line, value.reason)
        else:
            yield Raw(value, file.name, line, file.split)


class _Bad:
    def __init__(self, reason: str) -> None:
        self.reason = reason


_Pieces: TypeAlias = Iterator[tuple[int, Any]]
_Cells: TypeAlias = Iterator[tuple[int, list[str] | _Bad]]


def _text(data: bytes, file: File) -> str:
    return data.decode(file.encoding).removeprefix("\ufeff")


def _members(data: bytes, encoding: str) -> _Pieces:
    # read as a whole, so that an archive cut short is one unreadable file
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        members = [(item.name, archive.extractfile(item)) for item in archive.getmembers() if item.isfile()]
        packed = [(name, member.read()) for name, member in members if member]
    return enumerate((_member(name, content, encoding) for name, content in packed), 1)


def _member(name: str, content: bytes, encoding: str) -> dict[str, str] | _Bad:
    try:
        return {"name": name, "text": content.decode(encoding).removeprefix("\ufeff")}
    except UnicodeDecodeError:
        return _Bad("packed file is not text")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.removesuffix("\r")


def _jsonl(text: str) -> _Pieces:
    for number, line in _lines(text):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError):
            yield number, _Bad("not JSON")


def _json(text: str) -> _Pieces:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield 0, _Bad("not JSON")
        return
    yield from enumerate(value, 1) if isinstance(value, list) else [(1, value)]


def _named(rows: _Cells) -> _Pieces:
    names: list[str] | None = None
    for number, cells in rows:
        if isinstance(cells, _Bad):
            yield number, cells
        elif names is None:
            names = cells
        elif len(cells) != len(names):
            yield number, _Bad("number of columns differs from the header")
        else:
            yield number, dict(zip(names, cells, strict=True))


def _tsv_cells(text: str) -> _Cells:
    for number, line in enumerate(text.split("\n"), 1):
        # a line of tabs alone is a row of empty cells, not a blank line
        if cells := line.removesuffix("\r"):
            yield number, cells.split("\t")


def _csv_cells(text: str) -> _Cells:
    csv.field_size_limit(MAX_FIELD)
    lines = io.StringIO(text, newline="").readlines()
    reader = csv.reader(lines)
    begin = 0
    for cells in reader:
        record, begin = lines[begin : reader.line_num], reader.line_num
        if _is_open(record) and begin == len(lines):
            yield begin - len(record) + 1, _Bad("quote never closed")
        elif cells:
            yield begin, cells


def _is_open(record: list[str]) -> bool:
    """Whether a record ran over lines for want of a closing quote, and so swallowed the records after it."""
    return len(record) > 1 and sum(line.count('"') for line in record) % 2 == 1


TAR = "tar"
READERS: dict[str, Callable[[str], _Pieces]] = {
    "jsonl": _jsonl,
    "json": _json,
    "tsv": lambda text: _named(_tsv_cells(text)),
    "csv": lambda text: _named(_csv_cells(text)),
    "tsv_plain": _tsv_cells,
    "csv_plain": _csv_cells,
    "lines": _lines,
    "text": lambda text: iter([(1, text)]),
}
