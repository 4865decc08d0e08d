"""Step 2: NFC, control characters out, and every question and answer checked; labels keep their meaning."""

import re
import unicodedata
from typing import Any

import msgspec

from searchjev.errors import DataError
from searchjev.release.item import Item, Ledger
from searchjev.schema import (
    Answer,
    Choice,
    ChoiceAnswer,
    Noul,
    Question,
    Score,
    Sides,
    check_answer,
    check_question,
    width,
)  # fmt: skip

STEP = "normalise"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff]")
_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")


def normalise(item: Item, ledger: Ledger) -> bool:
    """Clean an item's texts; malformed questions leave. False: its state is malformed, or no question is left."""
    try:
        item.state = clean(item.state)
    except DataError:
        ledger.drop(item.source, item.sample_id, STEP, "two names of the state are equal after cleaning")
    else:
        _clean_questions(item, ledger)
        if item.questions:
            ledger.passed(STEP, 1, 1)
            return True
        ledger.drop(item.source, item.sample_id, STEP, "no question left")
    ledger.passed(STEP, 1, 0)
    return False


def clean_text(text: str) -> str:
    """NFC text without control characters, line ends as LF, without space at either end."""
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", unicodedata.normalize("NFC", text))).strip()


def clean(value: Any) -> Any:  # noqa: ANN401 - any JSON tree
    """Return the tree with clean texts and names; two names that become equal are a DataError."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        out = {clean_text(name): clean(item) for name, item in value.items()}
        if len(out) != len(value):
            raise DataError("two names are equal after cleaning; rename one at the source")
        return out
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value


def _clean_questions(item: Item, ledger: Ledger) -> None:
    questions: dict[str, Question] = {}
    answers: dict[str, Answer] = {}
    for name in [*item.questions, *(name for name in item.answers if name not in item.questions)]:
        try:
            questions[name], answers[name] = _checked(item, name)
        except DataError:
            ledger.drop(item.source, f"{item.sample_id}#{name}", STEP, "malformed question or answer")
            questions.pop(name, None)
    item.questions, item.answers = questions, answers


def _checked(item: Item, name: str) -> tuple[Question, Answer]:
    if name not in item.questions or name not in item.answers:
        raise DataError(f"{name}: a question without an answer, or an answer without a question")
    question, answer = item.questions[name], item.answers[name]
    check_question(question, name)
    check_answer(question, answer, name)
    if width(question) < 2:
        raise DataError(f"{name}: one option decides nothing; expected two or more")
    return _clean_question(question), _clean_answer(answer)


def _clean_question(question: Question) -> Question:
    if isinstance(question, Choice):
        return Choice(clean(question.criteria), question.instructions)
    if isinstance(question, Score):
        return Score(clean(question.criteria), question.instructions)
    sides = question.criteria
    return question if sides is None else Noul(question.instructions, Sides(clean(sides.true), clean(sides.false)))


def _clean_answer(answer: Answer) -> Answer:
    if not isinstance(answer, ChoiceAnswer):
        return answer
    return msgspec.structs.replace(answer, choice=clean(answer.choice), probabilities=clean(answer.probabilities))
