"""`progress(items, label, total)`: a bar on a terminal, otherwise a line every 30 s with done, total and rate."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

LINE_EVERY_S = 30.0


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items and report on stderr how far they are."""
    if sys.stderr.isatty():
        yield from _bar(items, label, total)
    else:
        yield from _lines(items, label, total)


def _bar(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, total=total, console=Console(stderr=True), transient=True)


def _lines(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    begin = said = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - said >= LINE_EVERY_S:
            said = now
            of = f" of {total:,}" if total else ""
            print(f"{label}: {done:,}{of}, {done / (now - begin):,.1f} a second", file=sys.stderr, flush=True)  # noqa: T201
