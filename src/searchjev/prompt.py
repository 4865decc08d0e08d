"""A question about a state as text: the only place that knows how, and versioned.

A state becomes *parts* (its fields, list items, numbered passages), taken from its own structure and never from a guess
about its content; the query field comes first. Ids of questions never enter. Option names do, with their descriptions.
"""

import json
import re
from typing import Any

import msgspec

from searchjev.errors import DataError
from searchjev.schema import Choice, Noul, Question, Score, Sides, State, Text

PROMPT_VERSION = "1"

QUERY_FIELDS = ("query", "question", "claim", "request", "goal", "utterance", "hypothesis", "message")
"""Names under which a state's query is looked for, in this order."""

RECORD_FIELDS = frozenset(("title", "text", "content", "snippet", "url", "site", "date", "source", "role", "action"))
"""An object holding one of these is one passage; any other object is a set of passages by name."""

BARE_FIELDS = frozenset(("title", "text", "content", "snippet"))
MAX_DEPTH = 64
_PASSAGE = re.compile(r"^(?=\[\d{1,3}\])", re.MULTILINE)


class Prompt(msgspec.Struct, frozen=True):
    """State parts (query first), question text, and one text an option."""

    parts: list[str]
    question: str
    options: list[str]


def render(state: State, question: Question) -> Prompt:
    """Texts of one question about one state."""
    return Prompt(state_parts(state), question_text(question), option_texts(question))


def state_parts(state: State) -> list[str]:
    """Texts of the state's parts, the query field first; an empty state has none."""
    if isinstance(state, str):
        return [part.strip() for part in _PASSAGE.split(state) if part.strip()]
    if isinstance(state, list):
        return [part for i, item in enumerate(state) for part in _field(str(i), item)]
    query = next((name for name in QUERY_FIELDS if name in state), None)
    names = [query, *(name for name in state if name != query)] if query else list(state)
    return [part for name in names for part in _field(name, state[name])]


def question_text(question: Question) -> str:
    """Text of the instructions; empty when there are none."""
    return "" if question.instructions is None else as_text(question.instructions)


def option_texts(question: Question) -> list[str]:
    """One text an option: true and false of a noul, names with descriptions, levels with their place."""
    if isinstance(question, Noul):
        sides = question.criteria or Sides()
        return [_described("true", sides.true), _described("false", sides.false)]
    if isinstance(question, Choice):
        return [_described(name, text) for name, text in question.criteria.items()]
    assert isinstance(question, Score)
    last = len(question.criteria) - 1
    return [f"{i}/{last}: {as_text(level)}" for i, level in enumerate(question.criteria)]


def as_text(value: Text | Any, depth: int = 0) -> str:  # noqa: ANN401 - any JSON tree
    """Any JSON tree as readable text: strings as they are, objects as `name: value` lines, lists as lines."""
    if depth > MAX_DEPTH:
        raise DataError(f"nested deeper than {MAX_DEPTH} levels; flatten the state or the instructions")
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(
            as_text(v, depth + 1) if k in BARE_FIELDS else f"{k}: {as_text(v, depth + 1)}" for k, v in value.items()
        )
    if isinstance(value, list):
        return "\n".join(as_text(item, depth + 1) for item in value)
    return json.dumps(value)


def _field(path: str, value: Any) -> list[str]:  # noqa: ANN401
    if isinstance(value, list) and value:
        return [f"{path}.{i}: {as_text(item, 1)}" for i, item in enumerate(value)]
    if isinstance(value, dict) and value and RECORD_FIELDS.isdisjoint(value):
        return [f"{path}.{name}: {as_text(item, 1)}" for name, item in value.items()]
    return [f"{path}: {as_text(value, 1)}"]


def _described(name: str, text: Text | None) -> str:
    return name if text is None else f"{name}: {as_text(text)}"
