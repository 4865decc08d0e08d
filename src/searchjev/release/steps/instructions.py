"""Step 10: wordings, option descriptions, levels and option order, drawn by a digest of the sample id.

One wording of each longer list is kept for test rows, so that a part of the test is asked in words never trained on.
"""

from collections.abc import Sequence

import msgspec

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.errors import ConfigError
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item
from searchjev.schema import (
    Answer,
    Choice,
    ChoiceAnswer,
    Noul,
    NoulAnswer,
    Question,
    Score,
    Sides,
    Text,
    answer_from,
)  # fmt: skip
from searchjev.wording import Template, template

STEP = "instructions"
KEPT_FROM = 3
"""Lists of at least so many wordings keep one for the test split."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Worded(msgspec.Struct, frozen=True):
    """A question in words, and its answer."""

    question: Question
    answer: Answer


def instruct(item: Item, config: ReleaseConfig, *, for_test: bool) -> None:
    """Give an item's questions their wording; some noul statements are turned round, with their answers."""
    worded = {name: _worded(item, name, question, config, for_test) for name, question in item.questions.items()}
    item.questions = {name: one.question for name, one in worded.items()}
    item.answers = {name: one.answer for name, one in worded.items()}


def _worded(item: Item, name: str, question: Question, config: ReleaseConfig, for_test: bool) -> Worded:
    texts = template(item.capability, name)
    if isinstance(question, Noul):
        return _noul(item, name, question, texts, config, for_test)
    wording = _wording(item, name, texts, for_test)
    if isinstance(question, Choice):
        return _choice(item, name, question, wording, config)
    levels = [levels for levels in texts.levels(item.language) if len(levels) == len(question.criteria)]
    drawn: list[Text] = [*pick(levels, item.sample_id, name, "levels")] if levels else question.criteria
    return Worded(Score(drawn, wording), item.answers[name])


def _wording(item: Item, name: str, texts: Template, for_test: bool, *, negated: bool = False) -> str:
    wordings = texts.wordings(item.language, negated=negated)
    if not wordings:
        raise ConfigError(
            f"wordings/{item.capability}.toml, [{name}]: no {item.language} wording; {item.source} needs one"
        )
    if not for_test and len(wordings) >= KEPT_FROM:
        kept = digest("kept for test", item.capability, name, item.language, str(negated)) % len(wordings)
        wordings = [*wordings[:kept], *wordings[kept + 1 :]]
    return pick(wordings, item.sample_id, name, "wording")


def _noul(item: Item, name: str, question: Noul, texts: Template, config: ReleaseConfig, for_test: bool) -> Worded:
    answer, language = item.answers[name], item.language
    assert isinstance(answer, NoulAnswer)
    sides = question.criteria
    if sides is None and any(texts.descriptions(side, language) for side in ("true", "false")):
        drawn = {side: texts.descriptions(side, language) for side in ("true", "false")}
        sides = Sides(**{side: pick(list_, item.sample_id, name, side) for side, list_ in drawn.items() if list_})
    is_negated = draw(item.sample_id, name, "negated") < config.negated_share
    if not is_negated or not texts.wordings(language, negated=True):
        return Worded(Noul(_wording(item, name, texts, for_test), sides), answer)
    turned = None if sides is None else Sides(true=sides.false, false=sides.true)
    return Worded(Noul(_wording(item, name, texts, for_test, negated=True), turned), NoulAnswer(1 - answer.noul))


def _choice(item: Item, name: str, question: Choice, wording: str, config: ReleaseConfig) -> Worded:
    """Options in drawn order, fixed ones described; a share of fully described ones named A, B, ..."""
    texts, key = template(item.capability, name), (item.sample_id, name)
    answer = item.answers[name]
    assert isinstance(answer, ChoiceAnswer)
    criteria = dict(question.criteria)
    for option, text in criteria.items():
        described = texts.descriptions(option, item.language)
        if text is None and described:
            criteria[option] = pick(described, *key, option)
    order = shuffled(list(criteria), *key, "order")
    names = dict(zip(order, _names(order, criteria, texts, draw(*key, "neutral") < config.neutral_share), strict=True))
    worded = Choice({names[option]: criteria[option] for option in order}, wording)
    turned = answer_from(worded, [answer.probabilities[option] for option in order])
    # of tied options the source's own choice stays the choice
    return Worded(worded, msgspec.structs.replace(turned, choice=names[answer.choice]))


def _names(order: list[str], criteria: dict[str, Text | None], texts: Template, neutral: bool) -> Sequence[str]:
    """Letters where a neutral name is drawn and every fixed option says by its own description what it means."""
    distinct = {str(text) for text in criteria.values() if text}
    if neutral and texts.options and len(distinct) == len(order) <= len(LETTERS):
        return LETTERS[: len(order)]
    return order
