"""A model's distributions for cases, many states at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from searchjev.errors import TooLongError
from searchjev.evaluate.cases import Case
from searchjev.progress import progress
from searchjev.schema import Answer, Question, State

CHUNK = 64
T = TypeVar("T")
Ask = tuple[State, Mapping[str, Question]]
Asked = Callable[[Sequence[Ask]], list[list[float]]]


class Decider(Protocol):
    """What `SearchJev` offers to an evaluation."""

    def decide_many(self, requests: Sequence[Ask]) -> list[dict[str, Answer]]:
        """Answers by question id."""

    def logits_many(self, requests: Sequence[Ask]) -> list[dict[str, list[float]]]:
        """Uncalibrated logits by question id."""


def predict(model: Decider, cases: Sequence[Case], chunk: int = CHUNK) -> list[list[float] | None]:
    """Calibrated distribution of each case, None for one that is too long for the model."""
    return _in_order(cases, lambda asks: [_only(a).distribution for a in model.decide_many(asks)], chunk)


def predict_logits(model: Decider, cases: Sequence[Case], chunk: int = CHUNK) -> list[list[float] | None]:
    """Uncalibrated logits of each case, None for one that is too long for the model."""
    return _in_order(cases, lambda asks: [_only(a) for a in model.logits_many(asks)], chunk)


def _in_order(cases: Sequence[Case], ask: Asked, chunk: int) -> list[list[float] | None]:
    # cases of like length together: little padding
    order = sorted(range(len(cases)), key=lambda i: len(str(cases[i].state)))
    out: list[list[float] | None] = [None] * len(cases)
    for begin in progress(range(0, len(order), chunk), f"answering, {chunk} a step", -(-len(order) // chunk)):
        places = order[begin : begin + chunk]
        for i, answer in zip(places, _answers([cases[i] for i in places], ask), strict=True):
            out[i] = answer
    return out


def _answers(cases: Sequence[Case], ask: Asked) -> Iterator[list[float] | None]:
    requests = [(case.state, {case.name: case.question}) for case in cases]
    try:
        yield from ask(requests)
    except TooLongError:
        for request in requests:
            try:
                yield ask([request])[0]
            except TooLongError:
                yield None


def _only(answers: dict[str, T]) -> T:
    (answer,) = answers.values()
    return answer
