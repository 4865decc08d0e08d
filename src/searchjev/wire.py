"""Bytes of a request to the contract's types: strict JSON, then fields, every fault with its place.

Nothing is repaired: a repeated key, a number that is not finite, a lone surrogate or a byte-order mark is a fault.
Unknown fields are ignored, as the contract asks.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from searchjev.errors import DataError
from searchjev.schema import MAX_LEVELS, MAX_OPTIONS, Choice, Noul, Question, Score, Sides, State, Text
from searchjev.strict_json import Place, Problem, clip, parse_json

MAX_PROBLEMS = 20
"""Faults listed in one answer; a request with more is no better described by all of them."""

TEXT_KINDS = "a string, an object or an array"


class WireError(DataError):
    """A request that is malformed at one or more places."""

    def __init__(self, problems: list[Problem]) -> None:
        places = ("; ".join(f"{'.'.join(map(str, p.place))}: {p.message}" for p in problems[:3])) or "malformed"
        super().__init__(places)
        self.problems = problems[:MAX_PROBLEMS]


class UnsupportedError(DataError):
    """A well-formed request for something that this server does not do."""


class WireRequest(NamedTuple):
    """A decoded request body."""

    model: str
    state: State
    questions: dict[str, Question]


def parse_request(body: bytes) -> WireRequest:
    """Request of a JSON body; WireError lists every fault found, UnsupportedError says what is not served."""
    value, problems = parse_json(body)
    if problems:
        raise WireError(problems)
    if not isinstance(value, dict):
        raise WireError([Problem("dict_type", ("body",), f"{_kind(value)}, expected an object")])
    reader = _Reader()
    model = reader.string(value["model"], ("body", "model")) if reader.has(value, "model", ("body",)) else None
    state = reader.text(value["state"], ("body", "state")) if reader.has(value, "state", ("body",)) else None
    questions = (
        reader.questions(value["questions"], ("body", "questions"))
        if reader.has(value, "questions", ("body",))
        else None
    )
    has_assets = reader.has_assets(value)
    if reader.problems or model is None or state is None or questions is None:
        raise WireError(reader.problems)
    if has_assets:
        raise UnsupportedError("assets: images are not supported, this model reads text; put the text into the state")
    return WireRequest(model, state, questions)


class _Reader:
    """Checks values, collects what is wrong, and gives None where something is."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def fault(self, kind: str, place: Place, message: str) -> None:
        self.problems.append(Problem(kind, place, message))

    def has(self, value: Mapping[str, Any], name: str, place: Place) -> bool:
        if name not in value:
            self.fault("missing", (*place, name), "field required")
        return name in value

    def string(self, value: Any, place: Place) -> str | None:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return value
        self.fault("string_type", place, f"{_kind(value)}, expected a string")
        return None

    def text(self, value: Any, place: Place) -> Text | None:  # noqa: ANN401
        if isinstance(value, str | dict | list):
            return value
        self.fault("string_type", place, f"{_kind(value)}, expected {TEXT_KINDS}")
        return None

    def optional_text(self, value: Any, place: Place) -> Text | None:  # noqa: ANN401
        return None if value is None else self.text(value, place)

    def questions(self, value: Any, place: Place) -> dict[str, Question] | None:  # noqa: ANN401
        if not isinstance(value, dict):
            self.fault("dict_type", place, f"{_kind(value)}, expected an object of questions")
            return None
        if not value:
            self.fault("too_short", place, "no questions, expected at least 1")
            return None
        read = {name: self.question(item, (*place, name)) for name, item in value.items()}
        return {name: question for name, question in read.items() if question is not None}

    def question(self, value: Any, place: Place) -> Question | None:  # noqa: ANN401
        if not isinstance(value, dict):
            self.fault("dict_type", place, f"{_kind(value)}, expected an object with a type")
            return None
        if "type" not in value:
            self.fault("union_tag_not_found", (*place, "type"), "field required: noul, choice or score")
            return None
        kind = value["type"]
        readers = {"noul": self.noul, "choice": self.choice, "score": self.score}
        read = readers.get(kind) if isinstance(kind, str) else None
        if read is None:
            self.fault("union_tag_invalid", (*place, "type"), f"{clip(kind)}, expected noul, choice or score")
            return None
        place = (*place, kind)
        instructions = self.optional_text(value.get("instructions"), (*place, "instructions"))
        return read(value, place, instructions)

    def noul(self, value: Mapping[str, Any], place: Place, instructions: Text | None) -> Noul | None:
        criteria, place_of = value.get("criteria"), (*place, "criteria")
        if not isinstance(criteria, dict | None):
            self.fault("dict_type", place_of, f"{_kind(criteria)}, expected an object with true and false, or null")
            return None
        sides = None
        if criteria is not None:
            sides = Sides(
                self.optional_text(criteria.get("true"), (*place_of, "true")),
                self.optional_text(criteria.get("false"), (*place_of, "false")),
            )
        if value.get("instructions") is None and not any(side is not None for side in (criteria or {}).values()):
            self.fault("value_error", place, "nothing is asked: expected instructions or a described side in criteria")
        return Noul(instructions, sides)

    def choice(self, value: Mapping[str, Any], place: Place, instructions: Text | None) -> Choice | None:
        if not self.has(value, "criteria", place):
            return None
        criteria = self.options(value["criteria"], (*place, "criteria"))
        return None if criteria is None else Choice(criteria, instructions)

    def options(self, value: Any, place: Place) -> dict[str, Text | None] | None:  # noqa: ANN401
        if not isinstance(value, dict):
            self.fault("dict_type", place, f"{_kind(value)}, expected an object of options")
            return None
        if not self.within(len(value), MAX_OPTIONS, "options", place):
            return None
        return {name: self.optional_text(text, (*place, name)) for name, text in value.items()}

    def score(self, value: Mapping[str, Any], place: Place, instructions: Text | None) -> Score | None:
        if not self.has(value, "criteria", place):
            return None
        criteria = self.levels(value["criteria"], (*place, "criteria"))
        return None if criteria is None else Score(criteria, instructions)

    def levels(self, value: Any, place: Place) -> list[Text] | None:  # noqa: ANN401
        if not isinstance(value, list):
            self.fault("list_type", place, f"{_kind(value)}, expected an array of levels, low to high")
            return None
        if not self.within(len(value), MAX_LEVELS, "levels", place):
            return None
        read = [self.text(text, (*place, number)) for number, text in enumerate(value)]
        return [text for text in read if text is not None]

    def within(self, count: int, limit: int, what: str, place: Place) -> bool:
        if 1 <= count <= limit:
            return True
        self.fault("too_long" if count else "too_short", place, f"{count} {what}, expected 1 to {limit}")
        return False

    def has_assets(self, value: Mapping[str, Any]) -> bool:
        assets = value.get("assets")
        if assets is None:
            return False
        if not isinstance(assets, dict):
            self.fault("dict_type", ("body", "assets"), f"{_kind(assets)}, expected an object")
        elif not assets:
            self.fault("too_short", ("body", "assets"), "no assets, expected at least 1 or no such field")
        return bool(assets)


def _kind(value: object) -> str:
    """JSON's name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {int: "a number", float: "a number", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), type(value).__name__)
