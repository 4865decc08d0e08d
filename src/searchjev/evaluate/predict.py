"""A model's distributions for cases, many states at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from searchjev.errors import TooLongError
from searchjev.evaluate.cases import Case
from searchjev.progress import progress
from searchjev.schema import Answer, Question, State

CHUNK = 64
T = TypeVar("T")
Ask = tuple[State, Mapping[str, Question]]


class Decider(Protocol):
    """What `SearchJev` offers to an evaluation."""

    def decide_many(self, requests: Sequence[Ask]) -> list[dict[str, Answer]]:
        """Answers by question id."""

    def logits_many(self, requests: Sequence[Ask]) -> list[dict[str, list[float]]]:
        """Uncalibrated logits by question id."""


def predict(model: Decider, cases: Sequence[Case]) -> list[list[float] | None]:
    """Calibrated distribution of each case, None for one that is too long for the model."""
    return _in_order(cases, lambda requests: [_first(a).distribution for a in model.decide_many(requests)], "answering")


def predict_logits(model: Decider, cases: Sequence[Case]) -> list[list[float] | None]:
    """Uncalibrated logits of each case, None for one that is too long for the model."""
    return _in_order(cases, lambda requests: [_first(a) for a in model.logits_many(requests)], "answering")


def _in_order(cases, ask, label: str) -> list[list[float] | None]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    # cases of like length together: little padding
    order = sorted(range(len(cases)), key=lambda i: len(str(cases[i].state)))
    out: list[list[float] | None] = [None] * len(cases)
    for begin in progress(range(0, len(order), CHUNK), label, -(-len(order) // CHUNK)):
        chunk = order[begin : begin + CHUNK]
        for i, answer in zip(chunk, _asked([cases[i] for i in chunk], ask), strict=True):
            out[i] = answer
    return out


def _asked(cases: Sequence[Case], ask) -> Iterator[list[float] | None]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    requests = [(case.state, {case.name: case.question}) for case in cases]
    try:
        yield from ask(requests)
    except TooLongError:
        for request in requests:
            try:
                yield ask([request])[0]
            except TooLongError:
                yield None


def _first(answers: dict[str, T]) -> T:
    return next(iter(answers.values()))
