"""HotpotQA at the level of pages: retrieved rankings over a pooled corpus, and questions with their gold paragraphs."""

import html
import re
from collections.abc import Iterable, Iterator

from searchjev.digest import digest, shuffled
from searchjev.recipes.hops import Page, Problem, evidence_rows, rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source
from searchjev.sources.multihop import CAPABILITIES, checked, sentences_of

BM25, DENSE, RERANK = "bm25_results.csv", "dense_results.csv", "rerank_results.csv"
RANKED = "bm25_per_question_rankings.csv"
CORPUS = "pooled_corpus_validation_500_title_text.jsonl"
GOLD, THREE = "hotpot.json", "train_3para_gold_sentences.csv"
DEPTH = 6
"""Results of a ranking that are looked at: what lies deeper no longer misleads."""

NEAREST, OTHERS = 12, 7
LONGEST = 900
_WORD = re.compile(r"\w{4,}")


def whole(title: str, text: str) -> Page:
    """Page of a paragraph whose deciding sentence isn't known: all of it matters."""
    sentences = sentences_of(text.strip())
    return Page(html.unescape(title), sentences, len(sentences) - 1)


def ranked_rows(files: Files) -> Rows:
    """Rows whose distractors are a question's own paragraphs and what three retrievers put on top instead."""
    texts = {raw["title"]: raw["text"] for raw in files.read(CORPUS)}
    context: dict[str, list[str]] = {}
    for raw in files.read(RANKED):
        context.setdefault(raw["example_id"], []).append(raw["title"])
    tops: dict[str, list[str]] = {}
    for name in (BM25, DENSE, RERANK):
        for raw in files.read(name):
            if raw["setting"] == "pooled":
                tops.setdefault(raw["example_id"], []).extend(raw["retrieved_titles"].split(" | ")[:DEPTH])

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        record_id, gold = raw["example_id"], raw["gold_titles"].split(" | ")
        if raw["setting"] != "pooled":
            yield Drop("the same question in another setting")
            return
        others = [title for title in [*context.get(record_id, ()), *tops[record_id]] if title not in gold]
        away = shuffled(sorted({title for title in others if title in texts}), record_id)
        if not all(usable(texts.get(title, "")) for title in gold):
            yield Drop("a gold paragraph is missing, a stub or over 900 characters")
            return
        pages = [whole(title, texts[title]) for title in [*gold, *away] if usable(texts[title])]
        yield from checked(
            Problem(
                "hotpotqa_2", record_id, raw["question"].strip(), "", tuple(pages), tuple(range(len(gold))),
                split=raw.split, tie=f"hotpotqa-{record_id}",
            )
        )  # fmt: skip

    return to_rows


def usable(text: str) -> bool:
    """Whether a paragraph is neither a stub nor too long to be shown whole."""
    return 40 <= len(text) <= LONGEST


def words(text: str) -> frozenset[str]:
    """Words of four letters or more, in lower case."""
    return frozenset(_WORD.findall(text.lower()))


class Near:
    """Paragraphs of all questions, to draw those from that are nearest to one question by their words."""

    def __init__(self, titled: Iterable[tuple[str, str]]) -> None:
        self._pool = [(title, text, words(text)) for title, text in dict.fromkeys(titled) if usable(text)]

    def others(self, question: str, own: list[tuple[str, str]]) -> list[Page]:
        """Pages that a question's own record doesn't hold, drawn from the nearest."""
        asked, titles, texts = words(question), {title for title, _ in own} - {""}, {text for _, text in own}
        near = [
            (len(asked & known), title, text)
            for title, text, known in self._pool
            if text not in texts and title not in titles
        ]
        near.sort(key=lambda item: (-item[0], digest(question, item[2])))
        return [whole(title, text) for _, title, text in shuffled(near[:NEAREST], question)[:OTHERS]]


def pair_rows(files: Files) -> Rows:
    """Rows of questions with their two gold paragraphs, untitled, or with three read paragraphs."""
    untitled = Near(("", text) for raw in files.read(GOLD) for text in raw["edit_statement"])
    titled = Near(item for raw in files.read(THREE) for item in paragraphs(raw))

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        yield from gold_pair(raw, untitled) if raw.file == GOLD else read_pair(raw, titled)

    return to_rows


def gold_pair(raw: Raw, near: Near) -> Iterator[Row | Drop]:
    """Rows of a question whose record is its gold paragraphs."""
    texts, (question, answer) = raw["edit_statement"], raw["edit_scope"][0]
    if len(texts) != 2 or not all(usable(text) for text in texts):
        yield Drop("a gold paragraph is missing, a stub or over 900 characters")
        return
    pages = (*(whole("", text) for text in texts), *near.others(question, [("", text) for text in texts]))
    yield from evidence_rows(
        Problem("hotpotqa_gold_pairs", raw["id"], question.strip(), answer, pages, (0, 1), tie=f"hotpotqa-{raw['id']}")
    )


def read_pair(raw: Raw, near: Near) -> Iterator[Row | Drop]:
    """Rows of a question whose supporting sentences all stand in two of its paragraphs."""
    proof = [sentence.strip() for sentence in raw["gold_sentences"].split(" | ")]
    found = paragraphs(raw)
    own = [(title, text) for title, text in found if any(sentence in text for sentence in proof)]
    if len(own) != 2 or not all(any(sentence in text for _, text in own) for sentence in proof):
        yield Drop("supporting sentences that its paragraphs don't hold")
        return
    if not all(usable(text) for _, text in own):
        yield Drop("a gold paragraph is missing, a stub or over 900 characters")
        return
    question = raw["question"].strip()
    pages = (*(whole(*item) for item in own), *near.others(question, found))
    tie = question.lower().rstrip("? ")
    yield from rows(
        Problem(
            "hotpotqa_gold_pairs", f"train-{raw['example_idx']}", question, raw["gold_answer"], pages, (0, 1), tie=tie
        )
    )


def paragraphs(raw: Raw) -> list[tuple[str, str]]:
    """Titles and texts of a record; none where the separator collides with the text."""
    titles, texts = raw["retrieved_titles"].split(" | "), raw["retrieved_texts"].split(" | ")
    return list(zip(titles, texts, strict=True)) if len(titles) == len(texts) else []


SOURCES = (
    Source(
        name="hotpotqa_2", home="https://hotpotqa.github.io", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=CAPABILITIES, prepare=ranked_rows,
        files=(
            File(name=BM25, reader="csv", split="val"),
            File(name=DENSE, reader="csv", joined=True),
            File(name=RERANK, reader="csv", joined=True),
            File(name=RANKED, reader="csv", joined=True),
            File(name=CORPUS, joined=True),
        ),
        note="rankings of a course project (MIT) over HotpotQA's validation paragraphs; answers are not in its files",
    ),
    Source(
        name="hotpotqa_gold_pairs", home="https://hotpotqa.github.io", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=CAPABILITIES, prepare=pair_rows,
        files=(File(name=GOLD, reader="json"), File(name=THREE, reader="csv", split="train")),
        note="distractors are paragraphs of other questions, nearest by words; columns made by models are not read",
    ),
)  # fmt: skip
