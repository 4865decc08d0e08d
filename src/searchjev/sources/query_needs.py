"""Requests and whether they need a search or a tool: SelfAware, MetaTool, PopQA, RetrievalQA, cMedIC."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw
from searchjev.schema import Language, Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Source, Tier

LONGEST = 1500
RARE, FAMOUS = 500, 3000
"""Monthly page views of a subject below which memory is not to be trusted, and above which it is."""

DATED = ("realtimeqa", "freshqa", "toolqa")
"""Parts of RetrievalQA whose answers change with time or stand in private records."""

INTENTS = ("none", "weak", "firm")
_QUOTES = '"'


class Need(NamedTuple):
    """One request with one question about it."""

    key: str
    text: str
    template: str
    gold: bool | int
    tier: Tier = "gold"


def row_of(raw: Raw, need: Need, field: str = "question", language: Language = "en") -> Row | Drop:
    """Row of one request; too long a request is dropped."""
    text = need.text.strip().strip(_QUOTES).replace('""', '"').strip()
    if not 3 <= len(text) <= LONGEST:
        return Drop("no request, or longer than 1,500 characters")
    question: Question = Noul() if isinstance(need.gold, bool) else Score(list(INTENTS))
    return Row(
        upstream_id=need.key,
        capability="query_need",
        language=language,
        state={field: text},
        questions={need.template: question},
        answers={need.template: target(question, need.gold)},
        tier=need.tier,
        split=raw.split,
        group_keys=(f"text:{text}",),
    )


def selfaware_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of the one object of the file: whether each question has a definite answer that can be found."""
    for record in raw["example"]:
        need = Need(str(record["question_id"]), record["question"], "searchable", bool(record["answerable"]))
        yield row_of(raw, need)


def metatool_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one request of the first task: whether it needs a tool."""
    if raw.get("label") not in ("positive", "negative"):
        yield Drop("no label")
    else:
        need = Need(f"task1-{raw.line}", raw["query"], "needs_tool", raw["label"] == "positive")
        yield row_of(raw, need, "request")


def popqa_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of a question about a subject that is clearly little known or clearly famous."""
    views, key = raw["s_pop"], str(raw["id"])
    if RARE < views < FAMOUS:
        yield Drop("subject neither little known nor famous")
    elif views <= RARE and draw(key, "kept") > 0.3:
        yield Drop("thinned out: most subjects are little known")
    else:
        yield row_of(raw, Need(key, raw["question"], "needs_search", views <= RARE, "weak"))


def retrievalqa_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of a question whose answer changes with time or stands in records that no model has read."""
    if raw["data_source"] not in DATED:
        yield Drop("general knowledge: need not known")
    else:
        yield row_of(raw, Need(raw["question_id"], raw["question"], "needs_search", True, "derived"))


def cmedic_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one medical query: how firm the medical intent is."""
    if len(raw.value) != 2 or raw.value[0] not in ("0", "1", "2"):
        yield Drop("not a level and a query")
    else:
        key = f"{raw.file.split('.')[0]}-{raw.line}"
        yield row_of(raw, Need(key, raw.value[1], "care_intent", int(raw.value[0])), "query", "zh")


_SHARED: dict[str, Any] = {"languages": ("en",), "capabilities": ("query_need",), "licence_class": "open"}

SOURCES = (
    Source(
        name="selfaware",
        home="https://github.com/yinzhangyue/SelfAware",
        licence="CC-BY-SA-4.0",
        files=(File(name="SelfAware.json", reader="json"),),
        rows=selfaware_rows,
        **_SHARED,
    ),
    Source(
        name="metatool",
        home="https://github.com/HowieHwong/MetaTool",
        licence="MIT",
        files=(File(name="Task1.json", reader="json"),),
        rows=metatool_rows,
        held_out="val",
        **_SHARED,
    ),
    Source(
        name="popqa",
        home="https://github.com/AlexTMallen/adaptive-retrieval",
        licence="MIT",
        files=(File(name="popqa.json", reader="json"),),
        rows=popqa_rows,
        **_SHARED,
    ),
    Source(
        name="retrievalqa",
        home="https://github.com/hyintell/RetrievalQA",
        licence="MIT",
        files=(File(name="retrievalqa_gpt4.jsonl"),),
        rows=retrievalqa_rows,
        note="without negatives: they come from popqa",
        **_SHARED,
    ),
    Source(
        name="cmedic",
        home="https://github.com/alibaba-research/ChineseBLUE",
        licence="Apache-2.0",
        files=(
            File(name="cMedIC_train.txt", reader="tsv_plain", split="train"),
            File(name="cMedIC_dev.txt", reader="tsv_plain", split="val"),
        ),
        rows=cmedic_rows,
        **{**_SHARED, "languages": ("zh",)},
    ),
)
