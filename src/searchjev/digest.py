"""Digests and draws that are equal on every machine and in every process; the built-in hash() is salted."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def digest(*parts: str) -> int:
    """64-bit digest of the parts; ("ab", "c") and ("a", "bc") differ."""
    state = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little") + data)
    return int.from_bytes(state.digest(), "little")


def draw(*parts: str) -> float:
    """Return a number in [0, 1) fixed by the parts."""
    return (digest(*parts) >> 11) / 2.0**53


def pick(items: Sequence[T], *parts: str) -> T:
    """Return one of the items, fixed by the parts."""
    return items[digest(*parts) % len(items)]


def shuffled(items: Sequence[T], *parts: str) -> list[T]:
    """Return the items in an order fixed by the parts and by each item's place."""
    order = sorted(range(len(items)), key=lambda i: digest(*parts, str(i)))
    return [items[i] for i in order]


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
