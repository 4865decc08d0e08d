"""What the server needs of a model: tokenise, run and decide, three blocking functions, safe in threads."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from searchjev.schema import Answer, Question, State


class Prepared(NamedTuple):
    """A tokenised request: tokens to report, tokens to compute, and the engine's own form of it."""

    tokens: int
    cost: int
    content: object


class Identity(NamedTuple):
    """What answers and the list of models say about the model."""

    name: str
    version: str
    description: str
    release_date: str
    calibration: str


Logits = dict[str, list[float]]


class Engine(Protocol):
    """A model behind the server."""

    @property
    def identity(self) -> Identity:
        """Name, version, description, release date (YYYY-MM-DD), and calibration id."""

    def tokenise(self, state: State, questions: Mapping[str, Question]) -> Prepared:
        """Tokens of a request; TooLongError or DataError where it cannot be read."""

    def run(self, batch: Sequence[Prepared]) -> list[Logits]:
        """Logits by question id for each request, each as if computed alone."""

    def decide(self, questions: Mapping[str, Question], logits: Logits) -> dict[str, Answer]:
        """Calibrated answers of one request."""
