"""searchjev: calibrated System-1 decisions for search agents.

    from searchjev import Choice, Noul, SearchJev

    model = SearchJev.load()
    answers = model.decide(state, {"enough": Noul("Is the evidence enough to answer?")})

Importing this package loads nothing heavy; `SearchJev` brings in onnxruntime when it is first named.
`Release.open(DIR)` reads a training release.
"""

from typing import TYPE_CHECKING, Any

from searchjev.errors import DataError, SearchjevError, TooLongError
from searchjev.schema import Answer, Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer, Sides

if TYPE_CHECKING:
    from searchjev.decide import SearchJev
    from searchjev.release.reader import Release

__all__ = [
    "Answer", "Choice", "ChoiceAnswer", "DataError", "Noul", "NoulAnswer", "Question", "Release", "Score",
    "ScoreAnswer", "SearchJev", "SearchjevError", "Sides", "TooLongError",
]  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "SearchJev":
        from searchjev.decide import SearchJev

        return SearchJev
    if name == "Release":
        from searchjev.release.reader import Release

        return Release
    raise AttributeError(f"module 'searchjev' has no attribute {name!r}")
