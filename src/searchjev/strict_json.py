"""JSON without second meanings: repeated keys, NaN, overflowing numbers, lone surrogates and deep nests are faults.

The fast path is one pass of the standard parser; places are looked for only when something is wrong.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from searchjev.prompt import MAX_DEPTH

Place: TypeAlias = tuple[str | int, ...]

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
BOM = "\ufeff"


class Problem(NamedTuple):
    """What is wrong with a request: a short constant, where, and in words."""

    kind: str
    place: Place
    message: str


class Parsed(NamedTuple):
    """A JSON value and what is wrong with it; the value counts only when nothing is."""

    value: Any
    problems: list[Problem]


class _Repeated(dict[str, Any]):
    """An object that had some key twice."""

    repeated: str


class _NotFinite(NamedTuple):
    literal: str


def parse_json(body: bytes) -> Parsed:
    """Value of a UTF-8 body, or its faults; places start with "body"."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        return _invalid(f"byte {error.start} is not UTF-8", error.start)
    if text.startswith(BOM):
        return _invalid("starts with a byte-order mark; send UTF-8 without one", 0)
    hooks = _Hooks()
    try:
        value = json.loads(text, object_pairs_hook=hooks.object, parse_float=hooks.float, parse_constant=hooks.constant)
    except json.JSONDecodeError as error:
        return _invalid(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})", error.pos)
    except RecursionError:
        return Parsed(None, [_too_deep(("body",))])
    except ValueError:  # Python's limit of digits
        return _invalid("a whole number of more than 4,300 digits; send it as a string")
    if hooks.found or _SURROGATE.search(body) or _deeper(value, MAX_DEPTH):
        return Parsed(value, list(_faults(value, ("body",))))
    return Parsed(value, [])


def clip(value: object, limit: int = 60) -> str:
    """Short printable form of a value for a message."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


class _Hooks:
    """Marks what the standard parser would let pass."""

    def __init__(self) -> None:
        self.found = False

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.found = True
        marked = _Repeated(value)
        marked.repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        return marked

    def float(self, literal: str) -> float | _NotFinite:
        value = float(literal)
        return value if math.isfinite(value) else self.constant(literal)

    def constant(self, literal: str) -> _NotFinite:
        self.found = True
        return _NotFinite(literal)


def _deeper(value: object, room: int) -> bool:
    """Whether containers nest deeper than `room`."""
    if not isinstance(value, dict | list):
        return False
    if room == 0:
        return True
    items = value.values() if isinstance(value, dict) else value
    return any(_deeper(item, room - 1) for item in items if isinstance(item, dict | list))


def _faults(value: object, place: Place) -> Iterator[Problem]:
    if isinstance(value, _NotFinite):
        yield Problem("finite_number", place, f"{value.literal[:40]}, expected a finite number")
    elif isinstance(value, str):
        yield from _surrogates(value, place)
    elif isinstance(value, dict | list):
        yield from _faults_inside(value, place)


def _faults_inside(value: dict[str, Any] | list[Any], place: Place) -> Iterator[Problem]:
    if len(place) > MAX_DEPTH:
        yield _too_deep(place)
        return
    if isinstance(value, _Repeated):
        yield Problem("duplicate_key", place, f"key {clip(value.repeated)} more than once")
    if isinstance(value, dict):
        for name in value:
            yield from _surrogates(name, place)
    items: Iterable[tuple[str | int, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
    for name_or_number, item in items:
        yield from _faults(item, (*place, _printable(name_or_number)))


def _surrogates(text: str, place: Place) -> Iterator[Problem]:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"character {error.start} is half of a surrogate pair; cut texts between characters"
        yield Problem("string_unicode", place, message)


def _printable(name: str | int) -> str | int:
    return name.encode(errors="replace").decode() if isinstance(name, str) else name


def _too_deep(place: Place) -> Problem:
    return Problem("too_deep", place[:4], f"nested deeper than {MAX_DEPTH} levels; flatten it")


def _invalid(message: str, position: int | None = None) -> Parsed:
    place: Place = ("body",) if position is None else ("body", position)
    return Parsed(None, [Problem("json_invalid", place, message)])
