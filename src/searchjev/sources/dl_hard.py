"""DL-HARD: web queries of TREC's Deep Learning track, annotated by intent and domain (Mackie et al. 2021).

Judgements have no passages here. Wanted verticals and finer answer types overlap too much to be asked about.
"""

import re
from collections.abc import Iterator, Mapping

from searchjev.digest import shuffled
from searchjev.recipes.intents import class_row
from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Raw, Row, Source

KINDS: Mapping[str, str] = {
    "quantity": "number", "temporal": "number", "location": "location", "description": "description",
    "reason": "description", "process": "description",
}  # fmt: skip
"""Intents whose answer is of one kind; lists, entities and attributes may be of any."""

TYPES = ("abbreviation", "description", "entity", "person", "location", "number")
UNSURE = re.compile("who |what (time|temp|type|kind|age|amino)|hydrogen ")
EXPLAINED = re.compile("^(what (is|are|was|causes)|why|how|define|describe|difference)\\b|definition|mean(ing|s)?\\b")
"""Forms that ask for an explanation; some others marked as descriptions ask for a fact."""

DOMAINS: Mapping[str, str] = {
    "health": "health", "science": "science", "history": "history", "language": "words and language", "food": "food",
    "entertainment": "entertainment", "business": "business and money", "finance": "business and money",
    "geography": "geography", "law": "law", "sports": "sports", "mathematics": "mathematics", "travel": "travel",
    "politics": "politics",
}  # fmt: skip
"""Domains that exclude one another; technology, local and others of a few queries are left out."""


def kind_row(key: str, query: str, kind: str) -> Row:
    """Ask what kind of answer is wanted."""
    question = Choice(dict.fromkeys(shuffled(TYPES, query)))
    return Row(
        upstream_id=f"{key}-kind",
        capability="query_classification",
        language="en",
        state={"query": query},
        questions={"answer_type": question},
        answers={"answer_type": target(question, kind)},
        tier="derived",
        mother=key,
        group_keys=(f"text:{query}",),
    )


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Kind of answer and domain of one query, where they are clear."""
    if len(raw.value) != 6 or not raw.value[1].strip():
        yield Drop("not a query with its annotations")
        return
    key, query, intent, _, field, _ = (cell.strip() for cell in raw.value)
    kind, domain = KINDS.get(intent), DOMAINS.get(field.lower())
    if UNSURE.match(query.lower()) or kind == "description" and not EXPLAINED.search(query.lower()):
        kind = None
    if kind:
        yield kind_row(key, query, kind)
    if domain:
        names = list(dict.fromkeys(DOMAINS.values()))
        yield class_row(
            "query_classification", "domain", query, domain, names, upstream_id=f"{key}-domain", language="en",
            split=None, fewest=6, most=12,
        )  # fmt: skip
    if not kind and not domain:
        yield Drop("neither a clear kind of answer nor a domain")


SOURCES = (
    Source(
        name="dl_hard",
        home="https://github.com/grill-lab/DL-Hard",
        licence="no licence text; queries of MS MARCO, research use",
        licence_class="research",
        languages=("en",),
        capabilities=("query_classification",),
        files=(File(name="annotations.tsv", reader="tsv_plain"),),
        rows=rows,
        held_out="test",
    ),
)
