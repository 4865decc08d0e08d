"""FiQA 2018 in BEIR's form: questions about money and the forum answers marked relevant, joined by HippoRAG's authors.

Only relevant answers are published. Others are answers to unlike questions that share words with this one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import digest, shuffled
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (
    File(name="beir_fiqa_dev_sample.json", reader="json", split="val"),
    File(name="beir_fiqa_test.json", reader="json", split="test"),
)
LONGEST, SHORTEST = 1_000, 60
PAIRS = 2
"""Relevant answers that are taken of a question, each with another."""

MOST_SHARED = 0.5
"""Share of a question's words, by weight, from which another answer may well answer it."""

_WORD = re.compile(r"[a-z]{3,}|\\d{3,}")
_ADDRESS = re.compile(r"\(?\bhttps?://\S+")
_END = re.compile(r"(?<=[a-z0-9)\"]{2}[.!?]) +")


class Passage(NamedTuple):
    """One answer: its corpus id, its text, its word stems and those of the questions it answers."""

    id: str
    text: str
    stems: frozenset[str]
    asked: frozenset[str]


def plain(text: str) -> str:
    """Text on one line, without addresses and the quotes that a table put around and into it."""
    text = " ".join(_ADDRESS.sub("", text).split())
    return (text[1:-1].replace('""', '"') if text[:1] == text[-1:] == '"' else text).strip()


def opening(text: str, most: int) -> str:
    """Whole sentences of a text up to a length, at least one."""
    kept, *others = _END.split(text)
    for sentence in others:
        if len(kept) + 1 + len(sentence) > most:
            break
        kept = f"{kept} {sentence}"
    return kept


def stems(text: str) -> frozenset[str]:
    """Beginnings of the words of a text."""
    return frozenset(word[:6].rstrip("s") for word in _WORD.findall(text.lower()))


class Pool:
    """Answers of one file, and what each word weighs."""

    def __init__(self, records: Iterator[Raw]) -> None:
        texts: dict[str, str] = {}
        asked: dict[str, set[str]] = defaultdict(set)
        for raw in records:
            for item in raw["paragraphs"]:
                texts[item["idx"]] = opening(plain(item["text"]), LONGEST)
                asked[item["idx"]] |= stems(raw["question"])
        self.passages = {
            name: Passage(name, text, stems(text), frozenset(asked[name]))
            for name, text in texts.items()
            if SHORTEST <= len(text) <= LONGEST
        }
        self.count = Counter(stem for passage in self.passages.values() for stem in passage.stems)

    def weight(self, found: frozenset[str]) -> float:
        """Weight of some words: rare ones weigh more, those of a tenth of the answers nothing."""
        often = len(self.passages) / 10
        return float(sum(1 / (1 + self.count[stem]) ** 0.5 for stem in found if self.count[stem] < often))

    def others(self, question: str, own: set[str], count: int) -> list[Passage]:
        """Answers to questions unlike this one, from those that share most with it but not most of its words."""
        words = stems(question)
        whole = self.weight(words) or 1.0
        ranked = []
        for passage in self.passages.values():
            shared = self.weight(words & passage.stems) / whole
            if passage.id not in own and shared < MOST_SHARED and self.weight(words & passage.asked) == 0:
                ranked.append((-shared, digest(question, passage.id), passage))
        ranked.sort(key=lambda item: item[:2])
        return shuffled([passage for *_, passage in ranked[: 4 * count]], question, "others")[:count]


def row(raw: Raw, passage: Passage, *, is_own: bool) -> Row:
    """Ask whether an answer is relevant to a question."""
    question, query = Noul(), raw["question"].strip()
    return Row(
        upstream_id=f"{raw['id']}-{passage.id}",
        capability="relevance",
        language="en",
        state={"query": query, "passage": passage.text},
        questions={"relevant": question},
        answers={"relevant": target(question, is_own)},
        tier="gold" if is_own else "constructed",
        origin="native" if is_own else "derived",
        split=raw.split,
        mother=str(raw["id"]),
        group_keys=(f"text:{query}",),
    )


def question_rows(raw: Raw, pool: Pool) -> Iterator[Row]:
    """Relevant answers and as many others."""
    question, own = raw["question"].strip(), {item["idx"] for item in raw["paragraphs"]}
    right = [pool.passages[name] for name in sorted(own) if name in pool.passages]
    right = shuffled(right, str(raw["id"]), "right")[:PAIRS]
    for passage, other in zip(right, pool.others(question, own, len(right)), strict=False):
        yield row(raw, passage, is_own=True)
        yield row(raw, other, is_own=False)


def prepare(files: Files) -> Rows:
    """Rows with answers to other questions of the same file."""
    pools = {file.name: Pool(files.read(file.name)) for file in FILES}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        found = list(question_rows(raw, pools[raw.file])) if raw["question"].strip() else []
        yield from found
        if not found:
            yield Drop("no answer of a fit length, or no unlike one")

    return to_rows


SOURCES = (
    Source(
        name="fiqa",
        home="https://sites.google.com/view/fiqa",
        licence="unstated (FiQA: research use)",
        licence_class="research",
        languages=("en",),
        capabilities=("relevance",),
        files=FILES,
        prepare=prepare,
    ),
)
