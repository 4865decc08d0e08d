"""Step 2: NFC, control characters out, and every question and answer checked; labels keep their meaning."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import msgspec

from searchjev.errors import DataError
from searchjev.release.item import Item, Ledger
from searchjev.schema import Answer, Choice, ChoiceAnswer, check_answer, check_question

STEP = "normalise"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")


def normalise(items: list[Item], ledger: Ledger) -> Iterator[Item]:
    """Items with clean text; one whose question or answer is malformed is dropped."""
    kept = 0
    for item in items:
        try:
            _clean(item)
        except DataError:
            ledger.drop(item.source, item.sample_id, STEP, "malformed question or answer")
            continue
        kept += 1
        yield item
    ledger.passed(STEP, len(items), kept)


def clean_text(text: str) -> str:
    """NFC text without control characters, line ends as LF, without space at either end."""
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", unicodedata.normalize("NFC", text))).strip()


def _clean(item: Item) -> None:
    item.state = _tree(item.state)
    for name, question in item.questions.items():
        answer = item.answers[name]
        if isinstance(question, Choice):
            renamed = {option: clean_text(option) for option in question.criteria}
            if len(set(renamed.values())) != len(renamed):
                raise DataError(f"{name}: two options are equal after cleaning")
            question = Choice({renamed[o]: _tree(text) for o, text in question.criteria.items()}, question.instructions)
            answer = _renamed(answer, renamed)
        item.questions = {**item.questions, name: question}
        item.answers = {**item.answers, name: answer}
        check_question(question, name)
        check_answer(question, answer, name)


def _renamed(answer: Answer, names: dict[str, str]) -> Answer:
    if not isinstance(answer, ChoiceAnswer):
        return answer
    probabilities = {names[name]: p for name, p in answer.probabilities.items()}
    return msgspec.structs.replace(answer, choice=names[answer.choice], probabilities=probabilities)


def _tree(value: Any) -> Any:  # noqa: ANN401 - any JSON tree
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(name): _tree(item) for name, item in value.items()}
    return [_tree(item) for item in value] if isinstance(value, list | tuple) else value
