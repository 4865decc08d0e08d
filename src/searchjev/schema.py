"""State, questions, answers, rows: one vocabulary for wire, files and models.

msgspec checks types on decode, not in constructors: what code builds by hand is checked by `check_question` and
`check_answer`, or by writing it and reading it back.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from searchjev.errors import DataError

Text: TypeAlias = str | dict[str, Any] | list[Any]
State: TypeAlias = str | dict[str, Any] | list[Any]
Language: TypeAlias = Literal["zh", "en"]

MAX_OPTIONS = 255
MAX_LEVELS = 10

CAPABILITIES: Mapping[str, str] = {
    "action_imitation": "A", "state_action": "A", "failure_recovery": "A", "stop_boundary": "A",
    "evidence_sufficiency_state": "A", "marginal_gain": "A", "retrieval_gain": "A", "serp_select": "A",
    "next_query": "A", "next_query_zh": "A", "query_fit": "A", "clarify_decision": "A",
    "qd_quality": "B1", "source_time": "B1", "fresh_serp": "B1", "satisfaction": "B1",
    "relevance": "B2",
    "evidence": "C", "evidence_sufficiency": "C",
    "intent_equivalence": "D1", "rewrite": "D1", "contextual_rewrite": "D1",
    "query_info": "D2", "query_need": "D2", "query_noise": "D2",
    "intent": "D3", "query_classification": "D3",
    "nli": "E", "coreference": "E", "reading_mc": "E", "logic_mc": "E", "keyword_match": "E",
    "topic_classification": "E", "sentiment_binary": "E", "emotion": "E", "review_rating": "E",
    "preference_pair": "E", "response_quality": "E",
}  # fmt: skip
"""Every capability with its decision bucket."""

BUCKETS: tuple[str, ...] = ("A", "B1", "B2", "C", "D1", "D2", "D3", "E")


class Sides(msgspec.Struct, frozen=True):
    """What true and false mean for one noul question; either may be left open."""

    true: Text | None = None
    false: Text | None = None


class Noul(msgspec.Struct, frozen=True, tag="noul", tag_field="type"):
    """Is the statement true? Answered by a probability of true."""

    instructions: Text | None = None
    criteria: Sides | None = None


class Choice(msgspec.Struct, frozen=True, tag="choice", tag_field="type"):
    """Which of 1 to 255 options? `criteria` maps each option's name to its description or None."""

    criteria: dict[str, Text | None]
    instructions: Text | None = None


class Score(msgspec.Struct, frozen=True, tag="score", tag_field="type"):
    """Which of 1 to 10 ordered levels? `criteria` holds the level texts, low to high."""

    criteria: list[Text]
    instructions: Text | None = None


Question: TypeAlias = Noul | Choice | Score


class NoulAnswer(msgspec.Struct, frozen=True, tag="noul", tag_field="type"):
    """Probability that the statement is true."""

    noul: float

    @property
    def distribution(self) -> list[float]:
        """P(true), P(false)."""
        return [self.noul, 1.0 - self.noul]


class ChoiceAnswer(msgspec.Struct, frozen=True, tag="choice", tag_field="type"):
    """The likeliest option, the wire's confidence, and every option's probability."""

    choice: str
    confidence: float
    probabilities: dict[str, float]

    @property
    def distribution(self) -> list[float]:
        """Probabilities in the order of the question's options."""
        return list(self.probabilities.values())


class ScoreAnswer(msgspec.Struct, frozen=True, tag="score", tag_field="type"):
    """The expected level counted from 0, the wire's confidence, and every level's probability."""

    score: float
    confidence: float
    probabilities: dict[str, float]

    @property
    def distribution(self) -> list[float]:
        """Probabilities in the order of the levels."""
        return list(self.probabilities.values())


Answer: TypeAlias = NoulAnswer | ChoiceAnswer | ScoreAnswer


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a release's data file."""

    state: State
    questions: dict[str, Question]
    answers: dict[str, Answer]
    difficulty: int


def question_type(question: Question) -> Literal["noul", "choice", "score"]:
    """Name of the question's type as the wire spells it."""
    if isinstance(question, Noul):
        return "noul"
    return "choice" if isinstance(question, Choice) else "score"


def width(question: Question) -> int:
    """Count the outcomes of a question: 2 for noul, else options or levels."""
    return 2 if isinstance(question, Noul) else len(question.criteria)


def choice_confidence(probabilities: list[float]) -> float:
    """(max p - 1/n) / (1 - 1/n), in [0, 1]; 1 when there is one option (contract, 3.1)."""
    n = len(probabilities)
    if n == 1:
        return 1.0
    return min(1.0, max(0.0, (max(probabilities) - 1 / n) / (1 - 1 / n)))


def score_confidence(probabilities: list[float]) -> float:
    """1 - spread around the likeliest level / spread of the uniform, floored at 0 (contract, 3.1)."""
    n = len(probabilities)
    if n == 1:
        return 1.0
    mode = probabilities.index(max(probabilities))
    spread = sum(p * abs(i - mode) for i, p in enumerate(probabilities))
    uniform = sum(abs(i - (n - 1) / 2) for i in range(n)) / n
    return min(1.0, max(0.0, 1 - spread / uniform))


def answer_from(question: Question, probabilities: list[float]) -> Answer:
    """Answer whose choice, score and confidence are derived from the probabilities (noul: P(true), P(false))."""
    if isinstance(question, Noul):
        return NoulAnswer(noul=probabilities[0])
    if isinstance(question, Choice):
        by_name = dict(zip(question.criteria, probabilities, strict=True))
        best = max(by_name, key=lambda name: by_name[name])
        return ChoiceAnswer(choice=best, confidence=choice_confidence(probabilities), probabilities=by_name)
    return ScoreAnswer(
        score=sum(i * p for i, p in enumerate(probabilities)),
        confidence=score_confidence(probabilities),
        probabilities={str(i): p for i, p in enumerate(probabilities)},
    )


def target(question: Question, gold: bool | str | int | float | Mapping[str, float]) -> Answer:
    """Training answer of a question.

    noul: True, False or a probability; choice: an option's name or {option: weight}; score: a level from 0 or
    {level: weight}. Weights are normalised. A gold outside the criteria is a DataError.
    """
    if isinstance(question, Noul):
        if isinstance(gold, Mapping | str) or not 0 <= gold <= 1:
            raise DataError(f"noul answer {gold!r}: expected True, False or a probability in [0, 1]")
        return NoulAnswer(noul=float(gold))
    names = list(question.criteria) if isinstance(question, Choice) else [str(i) for i in range(len(question.criteria))]
    weights = {str(k): float(v) for k, v in gold.items()} if isinstance(gold, Mapping) else {str(gold): 1.0}
    total = sum(weights.values())
    unknown = [name for name in weights if name not in names]
    if unknown or not (total > 0 and all(weight >= 0 for weight in weights.values())):
        raise DataError(f"answer {gold!r}: expected names or weights among {names[:8]}")
    answer = answer_from(question, [weights.get(name, 0.0) / total for name in names])
    if len(weights) == 1 and isinstance(answer, ScoreAnswer):
        return msgspec.structs.replace(answer, confidence=1.0)
    return answer


def check_question(question: Question, where: str) -> None:
    """Raise a DataError naming `where` unless option and level counts are within the contract."""
    if isinstance(question, Choice) and not 1 <= len(question.criteria) <= MAX_OPTIONS:
        raise DataError(f"{where}.criteria: {len(question.criteria)} options, expected 1 to {MAX_OPTIONS}")
    if isinstance(question, Score) and not 1 <= len(question.criteria) <= MAX_LEVELS:
        raise DataError(f"{where}.criteria: {len(question.criteria)} levels, expected 1 to {MAX_LEVELS}")


def check_answer(question: Question, answer: Answer, where: str) -> None:
    """Raise a DataError naming `where` unless the answer fits the question and sums to 1."""
    if question_type(question) != answer.__struct_config__.tag:
        raise DataError(f"{where}: {answer.__struct_config__.tag} answer to a {question_type(question)} question")
    if isinstance(answer, NoulAnswer):
        if not 0 <= answer.noul <= 1:
            raise DataError(f"{where}.noul: {answer.noul}, expected 0 to 1")
        return
    assert not isinstance(question, Noul)
    names = list(question.criteria) if isinstance(question, Choice) else [str(i) for i in range(len(question.criteria))]
    if list(answer.probabilities) != names:
        raise DataError(f"{where}.probabilities: keys {list(answer.probabilities)[:8]}, expected {names[:8]}")
    values = list(answer.probabilities.values())
    if not (all(value >= 0 for value in values) and abs(sum(values) - 1) <= 1e-6):  # false for NaN too
        raise DataError(f"{where}.probabilities: expected non-negative values that sum to 1")
    if isinstance(answer, ChoiceAnswer) and answer.choice not in answer.probabilities:
        raise DataError(f"{where}.choice: {answer.choice!r} is none of {names[:8]}")
