"""TREC Web Track 2009 to 2014: short web queries, marked ambiguous, faceted or single by the assessors."""

import html
import re
from collections.abc import Iterator
from typing import Any

from searchjev.digest import shuffled
from searchjev.schema import Choice, Noul, Question, target
from searchjev.source import Drop, File, Raw, Row, Source

TYPES = ("ambiguous", "faceted", "single")
RANGES = ("1-50", "51-100", "101-150", "151-200", "201-250", "251-300")
_TOPIC = re.compile(r'<topic number="(\d+)" type="(\w+)">(.*?)</topic>', re.DOTALL)
_QUERY = re.compile(r"<query>(.*?)</query>", re.DOTALL)
_DESCRIPTION = re.compile(r"<description>(.*?)</description>", re.DOTALL)
_SUBTOPIC = re.compile(r"<subtopic[^>]*>(.*?)</subtopic>", re.DOTALL)


def plain(text: str) -> str:
    """Text of an element on one line."""
    return " ".join(html.unescape(text).split())


def topic_row(raw: Raw, number: str, kind: str, body: str) -> Row | Drop:
    """Row of one topic; whether a faceted query is specific is left open."""
    query = _QUERY.search(body)
    if not query or kind not in TYPES:
        return Drop("no query, or another type")
    questions: dict[str, Question] = {"ambiguity": Choice(dict.fromkeys(TYPES))}
    gold: dict[str, Any] = {"ambiguity": kind}
    if kind != "faceted":
        questions["specific"], gold["specific"] = Noul(), kind == "single"
    return row(raw, f"{number}", {"query": plain(query.group(1))}, questions, gold)


def described_row(raw: Raw, number: str, body: str) -> Row | None:
    """Row that shows an open query beside one of its readings, and asks which is more precise."""
    query, description = _QUERY.search(body), _DESCRIPTION.search(body)
    texts = [plain(found) for found in _SUBTOPIC.findall(body)]
    texts = [text for text in texts if text] or ([plain(description.group(1))] if description else [])
    if not query or not texts:
        return None
    pair = [plain(query.group(1)), shuffled(texts, number, "subtopic")[0]]
    order = shuffled((0, 1), number, "pair order")
    state = {"query": pair[order[0]], "other": pair[order[1]]}
    question = Choice(dict.fromkeys(("first", "second", "neither")))
    gold = {"more_specific": ("first", "second")[order.index(1)]}
    return row(raw, f"{number}-pair", state, {"more_specific": question}, gold)


def row(raw: Raw, key: str, state: dict[str, str], questions: dict[str, Question], gold: dict[str, Any]) -> Row:
    """Row of a topic."""
    return Row(
        upstream_id=key,
        capability="query_info",
        language="en",
        state=state,
        questions=questions,
        answers={name: target(question, gold[name]) for name, question in questions.items()},
        tier="derived" if "more_specific" in questions else "gold",
        mother=key.split("-")[0],
    )


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every topic of one file."""
    found = _TOPIC.findall(raw.value)
    if not found:
        yield Drop("no topics")
    for number, kind, body in found:
        yield topic_row(raw, number, kind, body)
        pair = described_row(raw, number, body) if kind in ("ambiguous", "faceted") else None
        if pair:
            yield pair


SOURCES = (
    Source(
        name="trec_web_topics",
        home="https://trec.nist.gov/data/webmain.html",
        licence="NIST, public domain style",
        licence_class="open",
        languages=("en",),
        capabilities=("query_info",),
        files=tuple(File(name=f"topics.web.{numbers}.txt", reader="text") for numbers in RANGES),
        rows=to_rows,
    ),
)
