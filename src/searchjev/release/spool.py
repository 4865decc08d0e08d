"""Rows on disk between two steps: written one after the other, read back by offset, in any order."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

import msgspec

from searchjev.errors import ArtifactError

T = TypeVar("T")


class Spool:
    """Appends encoded values to one file and says where each lies."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._encode = msgspec.msgpack.Encoder().encode
        self.offset = 0

    def put(self, value: object) -> tuple[int, int]:
        """Append one value; returns its offset and size in bytes."""
        data = self._encode(value)
        self._file.write(data)
        begin, self.offset = self.offset, self.offset + len(data)
        return begin, len(data)

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()


class SpoolReader(Generic[T]):
    """Reads values of one type back from several spool files; files stay open until `close`."""

    def __init__(self, paths: list[Path], type_: type[T]) -> None:
        self._paths = paths
        self._open: dict[int, int] = {}
        self._decode = msgspec.msgpack.Decoder(type_).decode

    def get(self, file: int, offset: int, size: int) -> T:
        """Value at an offset of the file with this number."""
        if file not in self._open:
            self._open[file] = os.open(self._paths[file], os.O_RDONLY)
        # pread and no mapping: pages of a mapping count as memory of the process
        data = os.pread(self._open[file], size, offset)
        if len(data) != size:
            raise ArtifactError(f"{self._paths[file]}: shorter than when it was written; is the disk full?")
        return self._decode(data)

    def all(self, places: Iterator[tuple[int, int, int]]) -> Iterator[T]:
        """Values at many places, in the order given."""
        return (self.get(*place) for place in places)

    def close(self) -> None:
        """Close the files."""
        for handle in self._open.values():
            os.close(handle)
        self._open = {}
