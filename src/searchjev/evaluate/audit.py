"""Does the state decide, or the option's name or place? Probes with known answers, and slots that are never picked.

Average accuracy hides both faults where one answer is common, so each is looked for by itself; what fails has a name.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from searchjev.evaluate.cases import Case
from searchjev.evaluate.predict import Decider
from searchjev.schema import Choice, Noul, Question, Score, State

OFTEN = 30
"""A slot that is the answer this often must be picked at least once."""
SATURATED = 0.9999
LEAST_PAIRS = 0.5
"""Share of contrast pairs of one wording and order of which both members must be right."""

LABEL_WORDS = (("true", "false"), ("yes", "no"), ("A", "B"), ("是", "否"))
BLANK_STATES: tuple[State, ...] = ("", "N/A", "无")
STATEMENT = "The evidence answers the query."


class Contrast(NamedTuple):
    """Two states of which a statement is true of the first alone."""

    statement: str
    counter: str
    true: State
    false: State


CONTRASTS = (
    Contrast(
        "The customer is happy.", "The customer is not happy.",
        "The parcel arrived today and the customer is happy.", "The parcel is broken and the customer is angry.",
    ),
    Contrast(
        "The evidence answers the question.", "The evidence does not answer the question.",
        {"question": "When did the Ostby bridge open?", "evidence": ["The Ostby bridge was opened in May 1931."]},
        {"question": "When did the Ostby bridge open?", "evidence": ["Pears keep for a month in a cool cellar."]},
    ),
    Contrast(
        "The page is about the query.", "The page is about something else.",
        {"query": "repair a bicycle tyre", "page": "How to repair the tyre of a bicycle in ten minutes."},
        {"query": "repair a bicycle tyre", "page": "A short history of opera houses in the north."},
    ),
    Contrast(
        "两个问题的意思相同。", "两个问题的意思不同。",
        {"query": "怎么修改手机号码", "other": "如何更换手机号"},
        {"query": "怎么修改手机号码", "other": "明天北京会下雨吗"},
    ),
    Contrast(
        "资料足以回答问题。", "资料不足以回答问题。",
        {"question": "白河大桥哪一年建成?", "evidence": ["白河大桥于1987年建成通车。"]},
        {"question": "白河大桥哪一年建成?", "evidence": ["梨在阴凉处可以放一个月。"]},
    ),
    Contrast(
        "这条评论是正面的。", "这条评论是负面的。",
        "房间很干净,服务很好,下次还来。", "房间又脏又吵,服务很差,再也不来了。",
    ),
)  # fmt: skip


def audit(model: Decider, judged: Sequence[tuple[Case, Sequence[float]]]) -> dict[str, Any]:
    """Probes of a model and pick rates of judged cases; `failures` names what is wrong, empty when nothing is."""
    pairs = contrast_pairs(model)
    picks, never = slot_picks(judged)
    identical = identical_options(model)
    failures = [
        f"pairs {name}: both members right in {share:.0%}" for name, share in pairs.items() if share < LEAST_PAIRS
    ]
    failures += never
    failures += [
        f"identical {name}: {max(p):.4f} on one of {len(p)}" for name, p in identical.items() if max(p) >= SATURATED
    ]
    return {
        "contrast_pairs_both_right": pairs,
        "picks_by_slot": picks,
        "blank_states": blank_states(model),
        "identical_options": identical,
        "failures": failures,
    }


def contrast_pairs(model: Decider) -> dict[str, float]:
    """Share of contrast pairs with both members right: as noul, and as choice by label words and order."""
    shares = {"noul": _both_right(model, [Noul(c.statement) for c in CONTRASTS], true_at=0)}
    for words in LABEL_WORDS:
        for true_at, order in enumerate((words, words[::-1])):
            questions = [_choice(c, words, order) for c in CONTRASTS]
            shares["/".join(order)] = _both_right(model, questions, true_at)
    return shares


def slot_picks(judged: Sequence[tuple[Case, Sequence[float]]]) -> tuple[dict[str, Any], list[str]]:
    """How often each slot is the answer and is picked, by capability and question; and those never picked.

    Slots are true and false, the levels, and the places of a choice's options; counts are [answer, picked].
    """
    gold: dict[str, Counter[int]] = defaultdict(Counter)
    picked: dict[str, Counter[int]] = defaultdict(Counter)
    for case, answer in judged:
        key = f"{case.row.capability}, {case.kind} of {len(answer)}"
        gold[key][case.gold] += 1
        picked[key][max(range(len(answer)), key=answer.__getitem__)] += 1
    rates = {
        key: [[gold[key][i], picked[key][i]] for i in range(max(gold[key] | picked[key]) + 1)] for key in sorted(gold)
    }
    never = {
        key: [i for i, (due, times) in enumerate(counts) if due >= OFTEN and not times] for key, counts in rates.items()
    }
    return rates, [
        f"slots: {key}, never picked: {', '.join(f'{i} (the answer {rates[key][i][0]:,} times)' for i in slots)}"
        for key, slots in never.items()
        if slots
    ]


def blank_states(model: Decider) -> dict[str, float]:
    """P(true) of one statement where the state says nothing."""
    asks = [(state, {"q": Noul(STATEMENT)}) for state in BLANK_STATES]
    return {str(s): a["q"].distribution[0] for s, a in zip(BLANK_STATES, model.decide_many(asks), strict=True)}


def identical_options(model: Decider) -> dict[str, list[float]]:
    """Distributions over options and levels whose texts are all the same."""
    questions: Mapping[str, Question] = {
        "choice": Choice(dict.fromkeys(("1", "2", "3", "4"), "the page"), "Which page should be opened?"),
        "score": Score(["as it is"] * 5, "How good is the page?"),
    }
    answers = model.decide_many([(CONTRASTS[2].true, {name: q}) for name, q in questions.items()])
    return {name: a[name].distribution for name, a in zip(questions, answers, strict=True)}


def _choice(contrast: Contrast, words: tuple[str, str], order: tuple[str, ...]) -> Choice:
    texts = dict(zip(words, (contrast.statement, contrast.counter), strict=True))
    return Choice({word: texts[word] for word in order}, "Which is right?")


def _both_right(model: Decider, questions: Sequence[Question], true_at: int) -> float:
    asks = [(s, {"q": q}) for c, q in zip(CONTRASTS, questions, strict=True) for s in (c.true, c.false)]
    true = [a["q"].distribution[true_at] for a in model.decide_many(asks)]
    return sum(p > 0.5 > q for p, q in zip(true[::2], true[1::2], strict=True)) / len(CONTRASTS)
