"""Qulac: web queries, a question asked back, and what the user answered (Aliannejadi et al. 2019).

The kinds of the queries are TREC's own (source trec_web_topics), and which question to ask is ClariQ's.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from searchjev.digest import draw
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Noul, Question, State, target
from searchjev.source import Drop, File, Raw, Row, Source

FEWEST = 3
"""Needs of a query below which it is not used."""

OPEN = re.compile(
    r"no|none|nope|(i )?(really )?(dont|do not) know|(im|i am) not sure|not sure|no (im not|i do not|i dont)"
    r"|(no )?this (question )?is not (related|relevant) to my (search|query)|not interested"
)
PLAIN_YES = re.compile(
    r"(yes|yea|yeah|yep|sure|correct|right|exactly|that is correct|yes (please|exactly|i do|i am|i would|of course))"
)
SETTLED_SHARE = 0.2
_WORD = re.compile(r"[a-z]{4,}")
_COMMON = {
    "about", "also", "could", "details", "find", "finding", "from", "give", "have", "homepage", "info", "information",
    "interested", "know", "like", "look", "looking", "more", "need", "official", "page", "pages", "please", "show",
    "site", "sites", "some", "take", "tell", "that", "their", "them", "there", "they", "this", "trying", "want",
    "wanted", "website", "were", "what", "when", "where", "which", "with", "would", "your", "just", "search",
    "specific",
}  # fmt: skip


class Asked(NamedTuple):
    """A query, the question asked back, the answer, the need behind it and all needs known of the query."""

    key: str
    topic: str
    query: str
    question: str
    answer: str
    need: str
    needs: tuple[str, ...]


def text_of(value: object) -> str:
    """Text without the backslashes before its quotes."""
    return " ".join(str(value).replace("\\'", "'").replace('\\"', '"').split())


def stems(text: str) -> set[str]:
    """Beginnings of the words that can tell needs apart."""
    return {word[:5] for word in _WORD.findall(text.lower()) if word not in _COMMON}


def told(text: str, asked: Asked) -> str | None:
    """The one need that shares most words with a text, words of the query apart; None where two are level."""
    words = stems(text) - stems(asked.query)
    shared = sorted(((len(words & stems(need)), need) for need in asked.needs), reverse=True)
    return shared[0][1] if shared[0][0] > shared[1][0] else None


def settled(asked: Asked) -> bool | None:
    """Whether the answer tells which need is meant; None where that isn't sure."""
    answer = asked.answer.rstrip(". ").replace("'", "").lower()
    if OPEN.fullmatch(answer):
        return False
    is_yes = PLAIN_YES.fullmatch(answer) is not None
    return True if told(asked.question if is_yes else answer, asked) == asked.need else None


def row(asked: Asked, capability: str, questions: dict[str, Question], answers: dict[str, Answer]) -> Row:
    """Row about a query with what was asked back and answered."""
    dialogue = [{"role": "assistant", "text": asked.question}, {"role": "user", "text": asked.answer}]
    state: State = {"request": asked.query, "dialogue": dialogue}
    return Row(
        upstream_id=asked.key,
        capability=capability,
        language="en",
        state=state,
        questions=questions,
        answers=answers,
        tier="derived",
        origin="derived",
        mother=asked.topic,
        group_keys=(f"trec-web:{asked.topic}", f"text:{asked.query}"),
    )


def asked_rows(asked: Asked) -> Iterator[Row | Drop]:
    """Which need is meant, where the answer tells it; and whether there is more to ask."""
    is_settled = settled(asked)
    if is_settled is None:
        yield Drop("answer does not clearly point to the need behind it")
        return
    if is_settled:
        question, answer = choice_of(asked.needs, asked.needs.index(asked.need), "qulac", asked.key)
        yield row(asked, "intent", {"need": question}, {"need": answer})
    if not is_settled or draw("qulac", asked.key, "settled") < SETTLED_SHARE:
        noul = Noul()
        yield row(asked, "clarify_decision", {"ask_again": noul}, {"ask_again": target(noul, not is_settled)})


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every answer of the file, which is one table by columns."""
    table: Mapping[str, Mapping[str, Any]] = raw.value
    needs: dict[str, dict[str, None]] = defaultdict(dict)
    for i in table["topic_id"]:
        needs[str(table["topic_id"][i])][text_of(table["facet_desc"][i])] = None
    for i in table["topic_id"]:
        topic, texts = str(table["topic_id"][i]), {name: text_of(column[i]) for name, column in table.items()}
        known = tuple(needs[topic])
        if not texts["question"] or not texts["answer"]:
            yield Drop("nothing asked or answered")
        elif len(known) < FEWEST:
            yield Drop("too few needs known of the query")
        else:
            key = texts["topic_facet_question_id"]
            found = Asked(key, topic, texts["topic"], texts["question"], texts["answer"], texts["facet_desc"], known)
            yield from asked_rows(found)


SOURCES = (
    Source(
        name="qulac",
        home="https://github.com/aliannejadi/qulac",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("clarify_decision", "intent"),
        files=(File(name="qulac.json", reader="json"),),
        rows=rows,
    ),
)
