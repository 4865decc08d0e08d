"""ClariQ: web search requests graded by how much they need clarification, with clarifying questions for each."""

import re
from collections import defaultdict
from collections.abc import Iterator

from searchjev.digest import digest, shuffled
from searchjev.schema import Choice, Noul, Question, Score, Text, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (
    File(name="train.tsv", reader="tsv", split="train"),
    File(name="dev.tsv", reader="tsv", split="val"),
    File(name="test_with_labels.tsv", reader="tsv", split="test"),
)
LEVELS: list[Text] = [
    "none: the request stands on its own",
    "some: a detail would help",
    "much: several readings are likely",
    "full: it cannot be acted on as it is",
]
QUESTIONS_A_TOPIC = 4
WRONG = 3
_WORD = re.compile(r"[a-z]{4,}")


def text_of(value: str) -> str:
    """Text without the backslashes before its apostrophes."""
    return value.replace("\\'", "'").strip()


class Asked:
    """Clarifying questions of one file by request, and the lines at which the chosen ones are first asked."""

    def __init__(self, records: Iterator[Raw]) -> None:
        self.by_topic: dict[str, dict[str, int]] = defaultdict(dict)
        self.first_line: dict[str, int] = {}
        for raw in records:
            self.first_line.setdefault(raw["topic_id"], raw.line)
            if question := text_of(raw["question"]):
                self.by_topic[raw["topic_id"]].setdefault(question, raw.line)

    def chosen_lines(self, topic: str) -> set[int]:
        """Lines of the few questions that are taken of a request."""
        ranked = sorted(self.by_topic[topic], key=lambda question: digest(topic, question))
        return {self.by_topic[topic][question] for question in ranked[:QUESTIONS_A_TOPIC]}

    def wrong(self, raw: Raw, right: str) -> list[str]:
        """Questions asked about other requests, drawn from those that share most words with this one."""
        topic = raw["topic_id"]
        words = set(_WORD.findall(f"{right} {raw['initial_request']}".lower()))
        others = {q for key, found in self.by_topic.items() if key != topic for q in found} - set(self.by_topic[topic])
        ranked = shuffled(sorted(others), topic, right)
        ranked.sort(key=lambda question: len(words & set(_WORD.findall(question.lower()))), reverse=True)
        return shuffled(ranked[: 3 * WRONG], topic, right, "wrong")[:WRONG]


def prepare(files: Files) -> Rows:
    """Rows with distractor questions from the same file; a request recurs over its facets and is taken once."""
    asked = {file.name: Asked(files.read(file.name)) for file in FILES}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        known, topic = asked[raw.file], raw["topic_id"]
        taken = raw.line in known.chosen_lines(topic)
        if raw["clarification_need"] not in {"1", "2", "3", "4"}:
            yield Drop("no grade of need")
        elif raw.line != known.first_line[topic] and not taken:
            yield Drop("request or question taken before")
        else:
            if raw.line == known.first_line[topic]:
                yield need_row(raw)
            if taken:
                question = text_of(raw["question"])
                yield question_row(raw, question, known.wrong(raw, question))

    return to_rows


def row(raw: Raw, name: str, questions: dict[str, Question], golds: dict[str, bool | int | str]) -> Row:
    """Row about one request; its topic ties all its rows."""
    return Row(
        upstream_id=f"{raw['topic_id']}-{name}",
        capability="clarify_decision",
        language="en",
        state={"request": text_of(raw["initial_request"])},
        questions=questions,
        answers={key: target(question, golds[key]) for key, question in questions.items()},
        tier="gold" if name == "need" else "derived",
        origin="native" if name == "need" else "derived",
        split=raw.split,
        mother=raw["topic_id"],
        group_keys=(f"trec-web:{raw['topic_id']}",),
    )


def need_row(raw: Raw) -> Row:
    """How much the request needs clarification; whether to ask, where the grade is clear (2 is left open)."""
    grade = int(raw["clarification_need"])
    questions: dict[str, Question] = {"need": Score(LEVELS)}
    if grade != 2:
        questions["ask"] = Noul()
    return row(raw, "need", questions, {"need": grade - 1, "ask": grade > 2})


def question_row(raw: Raw, right: str, wrong: list[str]) -> Row:
    """Which clarifying question belongs to the request."""
    options = shuffled([right, *wrong], raw["topic_id"], right, "options")
    names = [f"q{i}" for i in range(1, len(options) + 1)]
    choice = Choice(dict(zip(names, options, strict=True)))
    return row(raw, raw["question_id"], {"which_question": choice}, {"which_question": names[options.index(right)]})


SOURCES = (
    Source(
        name="clariq",
        home="https://github.com/aliannejadi/ClariQ",
        licence="unstated",
        licence_class="research",
        languages=("en",),
        capabilities=("clarify_decision",),
        files=FILES,
        prepare=prepare,
    ),
)
