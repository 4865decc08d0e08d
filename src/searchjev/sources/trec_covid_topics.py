"""TREC-COVID, round 5: fifty needs, each written as keywords and as a question; the judged documents are not here.

The questions of Epidemic QA are not used: several of one keyword query ask for different things.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import draw, shuffled
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Noul, Question, State, target
from searchjev.source import Drop, File, Raw, Row, Source

NEAR, WRONG = 4, 3
TOO_NEAR = ({"3", "49"}, {"15", "16"}, {"37", "40"}, {"18", "44"}, {"38", "39"})
"""Needs so close that one could be taken for another."""

_TOPIC = re.compile(r'<topic number="(\d+)">(.*?)</topic>', re.DOTALL)
_WORD = re.compile(r"[a-z]{4,}")
COMMON = 8
"""Needs that a word stands in from which it tells nothing."""


class Need(NamedTuple):
    """One need in both forms."""

    number: str
    keywords: str
    question: str


def needs_in(text: str) -> tuple[list[Need], int]:
    """Needs of a file, and how many topics lack a form."""
    found, lacking = [], 0
    for number, body in _TOPIC.findall(text):
        forms = [re.search(f"<{name}>(.*?)</{name}>", body, re.DOTALL) for name in ("query", "question")]
        texts = [" ".join(form.group(1).split()) if form else "" for form in forms]
        if all(texts) and texts[0].lower() != texts[1].lower().rstrip("?"):
            found.append(Need(number, *texts))
        else:
            lacking += 1
    return found, lacking


def words_of(need: Need) -> set[str]:
    """Beginnings of the longer words of both forms."""
    return {word[:6] for word in _WORD.findall(f"{need.keywords} {need.question}".lower())}


def others(need: Need, needs: list[Need]) -> list[Need]:
    """Needs that share most words with this one, rare words weighing more, in an order that tells nothing."""
    count = Counter(word for other in needs for word in words_of(other))
    words = {word for word in words_of(need) if count[word] < COMMON}
    far = [other for other in needs if other != need and {other.number, need.number} not in TOO_NEAR]
    ranked = shuffled(far, need.number, "ties")
    ranked.sort(key=lambda other: -sum(1 / count[word] for word in words & words_of(other)))
    return shuffled(ranked[:NEAR], need.number, "near")


def row(need: Need, kind: str, capability: str, state: State, name: str, question: Question, answer: Answer) -> Row:
    """Row about one need."""
    return Row(
        upstream_id=f"{need.number}-{kind}",
        capability=capability,
        language="en",
        state=state,
        questions={name: question},
        answers={name: answer},
        tier="constructed" if kind == "other" or name != "same" else "derived",
        origin="derived",
        mother=need.number,
        group_keys=(f"text:{need.question}",),
    )


def need_rows(need: Need, near: list[Need]) -> Iterator[Row]:
    """Both forms as the same need, one form beside a near need's, and the rewrites of the keywords."""
    for kind, shown in (("own", need), ("other", near[0])):
        pair, swap = [need.keywords, shown.question], draw(need.number, kind, "swap") < 0.5
        same, state = Noul(), {"query": pair[swap], "other": pair[not swap]}
        yield row(need, kind, "intent_equivalence", state, "same", same, target(same, kind == "own"))
    choice, gold = choice_of([need.question, *(other.question for other in near[:WRONG])], 0, "trec_covid", need.number)
    yield row(need, "choice", "rewrite", {"query": need.keywords}, "which_rewrite", choice, gold)
    keeps, is_own = Noul(), draw(need.number, "keeps") < 0.5
    shown = need if is_own else near[-1]
    forms = {"query": need.question, "rewrite": shown.keywords}
    yield row(need, "keeps", "rewrite", forms, "keeps_intent", keeps, target(keeps, is_own))


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every need of the file."""
    needs, lacking = needs_in(raw.value)
    yield from (Drop("topic without both forms") for _ in range(lacking))
    if len(needs) < WRONG + 3:
        yield Drop("too few topics to compare")
        return
    for need in needs:
        yield from need_rows(need, others(need, needs))


SOURCES = (
    Source(
        name="trec_covid_topics",
        home="https://ir.nist.gov/trec-covid",
        licence="NIST, public",
        licence_class="open",
        languages=("en",),
        capabilities=("intent_equivalence", "rewrite"),
        files=(File(name="topics.covid-round5.xml", reader="text"),),
        rows=rows,
    ),
)
