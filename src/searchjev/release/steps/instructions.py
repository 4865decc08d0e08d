"""Step 10: wordings, option descriptions, levels and option order, drawn by a digest of the sample id."""

from searchjev.digest import draw, pick, shuffled
from searchjev.errors import ConfigError
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.schema import Answer, Choice, Noul, NoulAnswer, Question, Score, answer_from
from searchjev.wording import Template, template

STEP = "instructions"


def instruct(items: list[Item], config: ReleaseConfig, ledger: Ledger) -> list[Item]:
    """Items whose questions have their wording; some noul statements are turned round, with their answers."""
    for item in items:
        questions, answers = {}, {}
        for name, question in item.questions.items():
            texts = template(item.row.capability, name)
            questions[name], answers[name] = _worded(item, name, question, texts, config)
        item.questions, item.answers = questions, answers
    ledger.passed(STEP, len(items), len(items))
    return items


def _worded(
    item: Item, name: str, question: Question, texts: Template, config: ReleaseConfig
) -> tuple[Question, Answer]:
    key, language, answer = (item.sample_id, name), item.row.language, item.answers[name]
    wordings = texts.wordings(language)
    if not wordings:
        raise ConfigError(f"wordings/{item.row.capability}.toml, [{name}]: no {language} wording")
    if isinstance(question, Noul):
        opposite = texts.wordings(language, negated=True)
        if opposite and draw(*key, "negated") < config.negated_share:
            assert isinstance(answer, NoulAnswer)
            item.negated = {**item.negated, name: True}
            return Noul(pick(opposite, *key, "wording"), question.criteria), NoulAnswer(1 - answer.noul)
        return Noul(pick(wordings, *key, "wording"), question.criteria), answer
    wording = pick(wordings, *key, "wording")
    if isinstance(question, Choice):
        return _choice(item, name, question, wording, config)
    levels = [levels for levels in texts.levels(language) if len(levels) == len(question.criteria)]
    return Score([*pick(levels, *key, "levels")] if levels else question.criteria, wording), answer


def _choice(item: Item, name: str, question: Choice, wording: str, config: ReleaseConfig) -> tuple[Question, Answer]:
    """Options in drawn order, fixed ones described; a share of fully described ones named A, B, ..."""
    texts, key = template(item.row.capability, name), (item.sample_id, name)
    criteria = dict(question.criteria)
    for option, text in criteria.items():
        described = texts.descriptions(option, item.row.language)
        if text is None and described:
            criteria[option] = pick(described, *key, option)
    order = shuffled(list(criteria), *key, "order")
    neutral = texts.options and all(criteria.values()) and draw(*key, "neutral") < config.neutral_share
    names = {option: chr(ord("A") + i) if neutral else option for i, option in enumerate(order)}
    probabilities = dict(zip(question.criteria, item.answers[name].distribution, strict=True))
    worded = Choice({names[option]: criteria[option] for option in order}, wording)
    return worded, answer_from(worded, [probabilities[option] for option in order])
