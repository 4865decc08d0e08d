"""MultiHop-RAG: questions over several news articles with the sentence of each that matters (Tang and Yang 2024)."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import shuffled
from searchjev.recipes.hops import Page, Problem, rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

NAME = "multihoprag_chunks.json"
OTHERS = 6
CAPABILITIES = ("evidence_sufficiency_state", "marginal_gain", "retrieval_gain", "serp_select", "stop_boundary")
TOO_NEAR = 3
"""Facts nearest to a question among the others may well be about the same event: they are left out."""

_WORD = re.compile(r"\w{4,}")


class Fact(NamedTuple):
    """One quoted sentence with its article."""

    url: str
    category: str
    page: Page
    words: frozenset[str]


def fact_of(item: Any) -> Fact:  # noqa: ANN401 - published record
    """Evidence item as a page whose title names article, outlet and day."""
    title = f"{item['title']} ({item['source']}, {item['published_at'][:10]})"
    text = item["fact"].strip()
    return Fact(item["url"], item["category"], Page(title, (text,)), frozenset(_WORD.findall(text.lower())))


def prepare(files: Files) -> Rows:
    """Rows with distractors quoted from other articles of the same categories."""
    facts: dict[tuple[str, str], Fact] = {}
    for raw in files.read(NAME):
        for item in raw["evidence_list"]:
            facts[item["url"], item["fact"]] = fact_of(item)

    def others(question: str, own: list[Fact], record_id: str) -> list[Page]:
        words = set(_WORD.findall(question.lower()))
        urls, kinds = {fact.url for fact in own}, {fact.category for fact in own}
        near = [fact for fact in facts.values() if fact.category in kinds and fact.url not in urls]
        near = sorted(shuffled(near, record_id), key=lambda fact: len(words & fact.words), reverse=True)
        found = {fact.page.title: fact.page for fact in near[TOO_NEAR : TOO_NEAR + 4 * OTHERS]}
        return shuffled(list(found.values()), record_id, "others")[:OTHERS]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        own = list({item["url"]: fact_of(item) for item in raw["evidence_list"]}.values())
        away = others(raw["question"], own, str(raw["id"]))
        if len(own) < 2 or len(away) < OTHERS:
            yield Drop("fewer than two articles or too few others")
            return
        pages = (*(fact.page for fact in own), *away)
        needed = tuple(range(len(own)))
        problem = Problem("multihop_rag", str(raw["id"]), raw["question"].strip(), raw["answer"], pages, needed)
        yield from (row for row in rows(problem) if row.capability in CAPABILITIES)

    return to_rows


SOURCES = (
    Source(
        name="multihop_rag",
        home="https://github.com/yixuantang/MultiHop-RAG",
        licence="ODC-BY-1.0",
        licence_class="open",
        languages=("en",),
        capabilities=CAPABILITIES,
        files=(File(name=NAME, reader="json"),),
        prepare=prepare,
        held_out="test",
    ),
)
