"""Query and passage: SQuAD 2, DBpedia-Entity, TREC QA (Wang), cMedIR, KUAKE-QTR, QBQTC.

Does not cover cMedQA in its ChineseBLUE form: of 19 pairs labelled positive that were read, 4 or 5 belong together.
"""

import re
from collections.abc import Iterator

from searchjev.digest import draw, pick
from searchjev.schema import Language, Noul, Score, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source, SplitName

LEVELS = {
    "zh": ["无关", "沾边", "相关", "完全切题"],
    "en": ["not about it", "partly about it", "about exactly this"],
}

GRADES = ["不相关", "有些相关", "非常相关"]
MAX_ABSTRACT = 900
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)]{2}[.!?]) ")  # two small letters before the point: not "E.T.A. Hoffmann"


def fits_row(
    query: str, passage: object, is_relevant: bool, row_id: str, language: Language, split: SplitName | None, *keys: str
) -> Row:
    """Ask whether a passage is relevant to a query."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability="relevance",
        language=language,
        state={"query": query, "passage": passage},
        questions={"relevant": question},
        answers={"relevant": target(question, is_relevant)},
        split=split,
        group_keys=(f"text:{query}", *keys),
    )


def squad_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether a paragraph answers; for ranking, pair a question with its own paragraph or another."""
    for article in raw["data"]:
        texts = [paragraph["context"] for paragraph in article["paragraphs"]]
        for number, paragraph in enumerate(article["paragraphs"]):
            for item in paragraph["qas"]:
                yield from _squad(article["title"], texts, number, item)


def _squad(title: str, texts: list[str], number: int, item: dict) -> Iterator[Row | Drop]:  # type: ignore[type-arg]
    if len(texts[number]) > 1_200:
        yield Drop("paragraph over 1,200 characters")
        return
    if item["is_impossible"] or draw("squad2", item["id"]) < 0.35:
        question = Noul()
        yield Row(
            upstream_id=item["id"],
            capability="evidence_sufficiency",
            language="en",
            state={"question": item["question"], "passage": {"title": title.replace("_", " "), "text": texts[number]}},
            questions={"answers": question},
            answers={"answers": target(question, not item["is_impossible"])},
            group_keys=(f"article:{title}", f"text:{item['question']}"),
        )
        return
    answers = [answer["text"].lower() for answer in item["answers"]]
    others = [text for text in texts if len(text) <= 1_200 and not any(a in text.lower() for a in answers)]
    own = draw("squad2", item["id"], "own") < 0.5 or not others
    text = texts[number] if own else pick(others, item["id"])
    passage = {"title": title.replace("_", " "), "text": text}
    yield fits_row(item["question"], passage, own, item["id"], "en", None, f"article:{title}")


def opening(text: str) -> str:
    """Whole sentences of a text up to 900 characters, at least one."""
    kept, *others = _SENTENCE_END.split(text.strip())
    for sentence in others:
        if len(kept) + 1 + len(sentence) > MAX_ABSTRACT:
            break
        kept = f"{kept} {sentence}"
    return kept


def dbpedia_rows(found: Files) -> Rows:
    """Graded entity abstracts, judged zeros among them."""
    queries = {raw["_id"]: raw["text"] for raw in found.read("queries.jsonl")}
    abstracts = {raw["_id"]: (raw["title"], raw["text"]) for raw in found.read("corpus.jsonl")}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        query, entity = queries.get(raw["query-id"]), abstracts.get(raw["corpus-id"])
        if query is None or entity is None or raw["score"] not in ("0", "1", "2"):
            yield Drop("query or entity without text")
            return
        question = Score([*LEVELS["en"]])
        state = {
            "query": query,
            "passage": {"title": entity[0], "text": opening(entity[1])},
        }
        yield Row(
            upstream_id=f"{raw['query-id']}-{raw['corpus-id']}",
            capability="relevance",
            language="en",
            state=state,
            questions={"grade": question},
            answers={"grade": target(question, int(raw["score"]))},
            group_keys=(f"text:{query}",),
        )

    return rows


def trecqa_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Sentences judged to answer a question; a digest keeps a fifth of the many that don't."""
    row_id = f"{raw.file}-{raw.line}"
    if raw["label"] not in ("0", "1") or not raw["atext"].strip():
        yield Drop("no label or text")
    elif raw["label"] == "1" or draw("trecqa", row_id) < 0.2:
        yield fits_row(raw["qtext"], raw["atext"], raw["label"] == "1", row_id, "en", None)
    else:
        yield Drop("not drawn")


def cmedir_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Titles graded from 0 to 4 for a medical query, the rare 4 as 3; a digest keeps three in ten."""
    for number, document in enumerate(raw["documents"]):
        if not document["title"].strip() or document["label"] not in "01234":
            yield Drop("no title or grade")
            continue
        row_id = f"{raw.file}-{raw.line}-{number}"
        if draw("cmedir", row_id) >= 0.3:
            yield Drop("not drawn")
            continue
        question = Score([*LEVELS["zh"]])
        yield Row(
            upstream_id=row_id,
            capability="relevance",
            language="zh",
            state={"query": raw["query"], "passage": document["title"]},
            questions={"grade4": question},
            answers={"grade4": target(question, min(3, int(document["label"])))},
            group_keys=(f"text:{raw['query']}",),
        )


def titles_rows(levels: list[str], share: float) -> Rows:
    """Rows of titles graded for a query, 0 to the last level; a digest keeps a share."""

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        row_id = f"{raw.file}-{raw.line}"
        query, title, label = raw["query"].strip(), raw["title"].strip(), str(raw["label"])
        if not query or not title or label not in [str(i) for i in range(len(levels))]:
            yield Drop("no text or grade")
            return
        if draw("titles", row_id) >= share:
            yield Drop("not drawn")
            return
        question, name = Score([*levels]), "grade4" if len(levels) == 4 else "grade"
        yield Row(
            upstream_id=row_id,
            capability="relevance",
            language="zh",
            state={"query": query, "passage": title},
            questions={name: question},
            answers={name: target(question, int(label))},
            split=raw.split,
            group_keys=(f"text:{query}",),
        )

    return rows


SOURCES = (
    Source(
        name="kuake_qtr", version=2, home="https://tianchi.aliyun.com/cblue", licence="CBLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("relevance",), rows=titles_rows(LEVELS["zh"], 0.7),
        files=(
            File(name="KUAKE-QTR_train.json", reader="json", split="train"),
            File(name="KUAKE-QTR_dev.json", reader="json", split="test"),
        ),
    ),
    Source(
        name="qbqtc", home="https://github.com/CLUEbenchmark/QBQTC", licence="not stated", licence_class="unknown",
        languages=("zh",), capabilities=("relevance",), rows=titles_rows(GRADES, 0.7),
        files=(File(name="dev.json"), File(name="test_public.json", split="test")),
    ),
    Source(
        name="squad2", home="https://rajpurkar.github.io/SQuAD-explorer", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=("evidence_sufficiency", "relevance"), rows=squad_rows,
        files=(File(name="dev-v2.0.json", reader="json"),),
    ),
    Source(
        name="dbpedia_entity", version=2, home="https://github.com/iai-group/DBpedia-Entity", licence="CC-BY-SA-3.0",
        licence_class="open", languages=("en",), capabilities=("relevance",), held_out="val", prepare=dbpedia_rows,
        files=(
            File(name="qrels_test.tsv", reader="tsv"),
            File(name="queries.jsonl", joined=True),
            File(name="corpus.jsonl", joined=True),
        ),
    ),
    Source(
        name="trecqa_wang", home="https://github.com/brmson/dataset-sts", licence="research use",
        licence_class="research", languages=("en",), capabilities=("relevance",), held_out="test", rows=trecqa_rows,
        files=(File(name="dev.csv", reader="csv"), File(name="test.csv", reader="csv")),
    ),
    Source(
        name="cmedir", version=2, home="https://github.com/alibaba-research/ChineseBLUE", licence="Apache-2.0",
        licence_class="open", languages=("zh",), capabilities=("relevance",), held_out="test", rows=cmedir_rows,
        files=(File(name="cMedIR_dev.json"), File(name="cMedIR_test.json")),
    ),
)  # fmt: skip
