"""RealTime QA: weekly news quizzes with the sentence that settles each, and dated search results (Kasai et al. 2023).

A third of the sentences tell about the event without naming the answer: these are passages that don't answer. Dates
matter for the results: a page from before the week of the quiz can't report what happened in it.
"""

import datetime
import html
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source, Tier

QUIZZES, WITHOUT, RESULTS = "past_qa_all.jsonl", "past_2024_qa_nota.jsonl", "past_gcs_sample.jsonl"
WITHOUT_YEAR = "2024"
"""Year whose questions come a second time, with "None of the above" among the choices; these are used."""

NONE = "None of the above"
LONGEST = 900
LEAD = 220
FRESH, STALE = 6, 45
OLD, NEW = 2, 2
MIN_SHARED = 2
_TAG = re.compile(r"<[^>]+>")
_DATE = re.compile(r"(\d{4})[/-](\d\d?)[/-](\d\d?)")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|half|once|twice|dozen|hundred)\b", re.I)
_OPEN = re.compile(r"\b(not|except|never|none|false|incorrect|untrue|\w+n.t)\b", re.I)
_WEEK = re.compile(
    r"\b(this (week|weekend|month)|last (week|night)|today|yesterday|tonight|(on|last|this) \w{3,6}day)\b", re.I
)
_NEWS = re.compile(r"\b(recent(ly)?|just|new(ly|est)?|latest)\b", re.I)
_LAND = re.compile(
    r"\b(country|countries|nation|nations|national\w*|language|where|when|state|leader|president|prime minister)\b",
    re.I,
)
_SENTENCES = re.compile(r"[.!?:]\W? \w")
_COMMON = frozenset(
    "a an and as at by for from has have in is its of on that the this to was week were what which who with".split()
)
ANSWERING = 0.12
"""Share of the answering passages that are asked about whether they answer."""


class Page(NamedTuple):
    """One dated search result."""

    title: str
    date: datetime.date
    text: str

    def words(self) -> set[str]:
        """Telling words of title and text."""
        return words_of(f"{self.title} {self.text}")

    def lead(self) -> str:
        """Beginning of the text, cut after a word."""
        text = " ".join(self.text.split())
        return text if len(text) <= LEAD else text[:LEAD].rpartition(" ")[0] + " ..."


def words_of(text: str) -> set[str]:
    """Words of a text in lower case, without the commonest."""
    return set(_WORD.findall(text.lower())) - _COMMON


def plain(text: str) -> str:
    """Text of a piece of HTML."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


def day(text: object) -> datetime.date | None:
    """Date at the head of a text."""
    found = _DATE.match(str(text or ""))
    return datetime.date(*map(int, found.groups())) if found else None


def pages_of(results: list[dict[str, Any]]) -> list[Page]:
    """Results that have a title, a text and a date."""
    found = [(plain(one.get("title") or ""), day(one.get("publish_date")), one.get("text") or "") for one in results]
    return [Page(title, date, text) for title, date, text in found if title and date and len(text) > LEAD]


class Quiz(NamedTuple):
    """One question with its day, choices and the place of the right one."""

    key: str
    today: datetime.date
    question: str
    choices: list[str]
    right: int
    evidence: str

    @property
    def answer(self) -> str:
        """Text of the right choice."""
        return self.choices[self.right]


def quiz_of(raw: Raw) -> Quiz | None:
    """Quiz of a record; None where it has fewer than three choices or no date."""
    today, choices = day(raw["question_date"]), [plain(choice) for choice in raw["choices"]]
    right = int(raw["answer"][0])
    if today is None or len(set(choices)) < 3 or len(set(choices)) < len(choices) or right >= len(choices):
        return None
    key = f"{raw['question_id'].removesuffix('_nota')}-{raw.line}"
    return Quiz(key, today, plain(raw["question_sentence"]), choices, right, plain(raw.get("evidence") or ""))


def row_of(
    quiz: Quiz, name: str, capability: str, state: dict[str, Any], question_id: str, question: Question, gold: Answer,
    tier: Tier = "derived",
) -> Row:  # fmt: skip
    """Row of a quiz, whose state begins with the day on which it was asked."""
    return Row(
        upstream_id=f"{quiz.key}-{name}",
        capability=capability,
        language="en",
        state={"today": quiz.today.isoformat(), "question": quiz.question, **state},
        questions={question_id: question},
        answers={question_id: gold},
        tier=tier,
        origin="derived",
        mother=quiz.key,
        group_keys=(f"text:{quiz.question}",),
    )


def states(evidence: str, question: str, answer: str) -> bool | None:
    """Whether a text states an answer; None where it may well do so in other words.

    That it does not is sure of names alone, and not of countries: a text on the Danish government names one.
    """
    words, held = words_of(answer), words_of(evidence)
    if words <= held:
        return True
    stems = {word[:4] for word in held}
    is_name = all(word[0].isupper() for word in _WORD.findall(answer) if word.lower() not in _COMMON)
    if not is_name or _NUMBER.search(answer) or _LAND.search(question) or any(word[:4] in stems for word in words):
        return None
    return False


def quiz_rows(quiz: Quiz, answer: str) -> Iterator[Row | Drop]:
    """Whether the evidence answers, and which choice it supports; `answer` is right even if it's no choice."""
    found = states(quiz.evidence, quiz.question, answer) if words_of(answer) else None
    if not quiz.evidence or len(quiz.evidence) > LONGEST:
        yield Drop("no evidence or over 900 characters")
    elif found is None or _OPEN.search(quiz.question) or any("of the above" in c and c != NONE for c in quiz.choices):
        yield Drop("no telling whether the evidence states the answer")
    else:
        noul, state = Noul(), {"passage": quiz.evidence}
        if not found or draw("realtimeqa", quiz.key, "answers") < ANSWERING:
            yield row_of(quiz, "answers", "evidence_sufficiency", state, "answers", noul, target(noul, found))
        if found:
            choice, gold = choice_of(quiz.choices, quiz.right, "realtimeqa", quiz.key)
            yield row_of(quiz, "choice", "reading_mc", state, "answer", choice, gold)


def is_news(question: str) -> bool:
    """Whether a question is of one sentence, and so wholly about something that it calls new."""
    return not _SENTENCES.search(question) and bool(_WEEK.search(question) or _NEWS.search(question))


def age(quiz: Quiz, page: Page) -> int:
    """Days from a page to the quiz, negative for a page that came later."""
    return (quiz.today - page.date).days


def timely_rows(quiz: Quiz, pages: list[Page]) -> Iterator[Row]:
    """Was a result published late enough? One of the week, one from long before it; none where either lacks."""
    near = [page for page in pages if len(words_of(quiz.question) & page.words()) >= MIN_SHARED]
    fresh = [page for page in near if 0 <= age(quiz, page) <= FRESH - 2]
    stale = [page for page in near if age(quiz, page) >= STALE]
    for name, found in (("fresh", fresh), ("stale", stale)) if fresh and stale else ():
        page, noul = pick(found, quiz.key, name), Noul()
        result = {"title": page.title, "date": page.date.isoformat(), "text": page.lead()}
        gold = target(noul, name == "fresh")
        yield row_of(quiz, name, "source_time", {"result": result}, "in_time", noul, gold)


def open_rows(quiz: Quiz, pages: list[Page], week: list[Page]) -> Iterator[Row]:
    """Which result to open: one of the week with the answer, among older ones and the week's about other things."""
    asked, answer = words_of(quiz.question), words_of(quiz.answer)
    held = [p for p in pages if 0 <= age(quiz, p) <= FRESH and answer <= p.words() and len(asked & p.words()) >= 3]
    without = [page for page in dict.fromkeys([*pages, *week]) if not answer <= page.words()]
    old = [page for page in without if page in pages and age(quiz, page) >= STALE]
    new = [page for page in without if 0 <= age(quiz, page) <= FRESH and len(asked & page.words()) < MIN_SHARED]
    if not held or len(old) < OLD or len(new) < NEW or not answer:
        return
    right = held[0]
    others = [*shuffled(old, quiz.key, "old")[:OLD], *shuffled(new, quiz.key, "new")[:NEW]]
    order = shuffled([right, *others], quiz.key, "order")
    names = [f"r{place}" for place in range(1, len(order) + 1)]
    texts = [f"{page.title} ({page.date.isoformat()}): {page.lead()}" for page in order]
    question = Choice(dict(zip(names, texts, strict=True)))
    gold = target(question, names[order.index(right)])
    yield row_of(quiz, "open", "serp_select", {}, "open", question, gold, "constructed")


def result_rows(raw: Raw, quiz: Quiz | None, week: list[Page]) -> Iterator[Row | Drop]:
    """Rows about the results of a quiz; `week` are those of all its week's quizzes."""
    if quiz is None or not is_news(quiz.question):
        yield Drop("no quiz, or not plainly about something new")
        return
    pages = pages_of(raw["search_result"])
    found = [*timely_rows(quiz, pages), *open_rows(quiz, pages, week)]
    yield from found
    if not found:
        yield Drop("no results on both sides of the week")


def prepare(files: Files) -> Rows:
    """Rows of the quizzes and of the results that were found for them in their week."""
    quizzes = {raw["question_id"]: quiz for raw in files.read(QUIZZES) if (quiz := quiz_of(raw))}
    weeks: dict[str, list[Page]] = defaultdict(list)
    for raw in files.read(RESULTS):
        weeks[raw["question_id"].partition("_")[0]] += pages_of(raw["search_result"])

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        full = quizzes.get(raw["question_id"].removesuffix("_nota"))
        if raw.file == RESULTS:
            yield from result_rows(raw, full, weeks[raw["question_id"].partition("_")[0]])
        elif full is None or (quiz := quiz_of(raw)) is None:
            yield Drop("fewer than three choices or no date")
        elif raw.file == QUIZZES and raw["question_date"].startswith(WITHOUT_YEAR):
            yield Drop("asked with none of the above in the other file")
        else:
            yield from quiz_rows(quiz, full.answer)

    return to_rows


SOURCES = (
    Source(
        name="realtimeqa", home="https://github.com/realtimeqa/realtimeqa_public", licence="not stated",
        licence_class="unknown", languages=("en",),
        capabilities=("evidence_sufficiency", "reading_mc", "serp_select", "source_time"), prepare=prepare,
        files=(File(name=QUIZZES), File(name=WITHOUT), File(name=RESULTS)),
        note="dates are those of the quiz and of the results; texts of results were cut at 1,200 characters",
    ),
)  # fmt: skip
