"""Requests that are clear or need a question back, in two sets: CLAMBER (Zhang 2024) and IN3 (Qian et al. 2024)."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from searchjev.digest import draw, shuffled
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

CLAMBER = File(name="clamber_benchmark.jsonl")
IN3 = (
    File(name="IN3/train.jsonl", split="train"),
    File(name="data_labeling/test_data_report_mix.jsonl", split="test"),
)
USED = {"none", "whom", "what", "when", "where", "co-reference", "polysemy"}
"""Kinds of CLAMBER's questions that the text alone decides; the others rest on a name being real, or on their form."""

VAGUE_SHARE = 0.35
WRONG = 3
_WORD = re.compile(r"[a-z]{4,}")


def question_row(
    key: str, state: dict[str, str], right: str, wrong: list[str], raw: Raw, capability: str = "clarify_decision"
) -> Row:
    """Row asking which question to ask back."""
    question, answer = choice_of([right, *wrong], 0, key)
    return row(f"{key}-question", state, {"which_question": question}, {"which_question": answer}, raw, capability)


def row(
    key: str,
    state: dict[str, str],
    questions: dict[str, Question],
    answers: dict[str, Answer],
    raw: Raw,
    capability: str = "clarify_decision",
) -> Row:
    """Row about one request; a row that picks among questions is derived."""
    is_native = "which_question" not in questions
    return Row(
        upstream_id=key,
        capability=capability,
        language="en",
        state=state,
        questions=questions,
        answers=answers,
        tier="gold" if is_native else "derived",
        origin="native" if is_native else "derived",
        split=raw.split,
        mother=key.removesuffix("-question"),
        group_keys=(f"text:{state['request']}",),
    )


class Asked:
    """Clarifying questions by word, so that distractors share words with a request."""

    def __init__(self, questions: Iterator[str]) -> None:
        self.by_word: dict[str, set[str]] = defaultdict(set)
        for question in questions:
            for word in _WORD.findall(question.lower()):
                self.by_word[word].add(question)

    def wrong(self, request: str, own: list[str]) -> list[str]:
        """Questions of other requests: those that share the rarest words with this one's question, in a drawn order."""
        words = set(_WORD.findall(" ".join([request, *own]).lower()))
        ranked = sorted(words, key=lambda word: (len(self.by_word[word]), word))
        near = [text for word in ranked for text in sorted(self.by_word[word])[:4] if text not in own]
        far = [text for text in dict.fromkeys(near) if not any(like(text, question) for question in own)]
        return shuffled(far[: 2 * WRONG], request, "wrong")[:WRONG]


def like(first: str, second: str) -> bool:
    """Whether two questions share half of their words: one may then serve for the other."""
    one, two = set(_WORD.findall(first.lower())), set(_WORD.findall(second.lower()))
    return 2 * len(one & two) >= min(len(one), len(two))


def clamber_of(raw: Raw) -> dict[str, str] | None:
    """Record of a line, which holds JSON within a JSON string; None where it doesn't."""
    try:
        value = json.loads(raw.value)
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, dict) and value.get("question") else None


def prepare_clamber(files: Files) -> Rows:
    """Rows with distractor questions of other requests; the models' predictions beside the labels are not read."""
    records = [found for raw in files.read(CLAMBER.name) if (found := clamber_of(raw))]
    asked = Asked(found["clarifying_question"].strip() for found in records if found.get("category") == "MC")

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        found = clamber_of(raw)
        if found is None:
            yield Drop("not JSON within a string")
        elif found["subclass"] not in USED:
            yield Drop("decided by a name being real, or by the form of the request")
        else:
            yield from clamber_rows(raw, found, asked)

    return to_rows


def clamber_rows(raw: Raw, found: dict[str, str], asked: Asked) -> Iterator[Row]:
    """Whether to ask back, and for some which question."""
    key, noul = str(raw.line), Noul()
    state = {"request": found["question"].strip()}
    if found.get("context", "").strip():
        state["context"] = found["context"].strip()
    yield row(key, state, {"ask": noul}, {"ask": target(noul, bool(int(found["require_clarification"])))}, raw)
    right = found["clarifying_question"].strip()
    wrong = asked.wrong(found["question"], [right])
    if right and len(wrong) == WRONG and found["category"] == "MC":
        yield question_row(key, state, right, wrong, raw)


def prepare_in3(files: Files) -> Rows:
    """Rows with distractor questions of other tasks."""
    records = (raw for file in IN3 for raw in files.read(file.name))
    asked = Asked(detail["inquiry"] for raw in records for detail in raw["missing_details"])

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        found = list(in3_rows(raw, asked))
        yield from found
        if not found:
            yield Drop("thinned out, and no one question is best")

    return to_rows


def in3_rows(raw: Raw, asked: Asked) -> Iterator[Row]:
    """Whether to ask back, as people judged it where they did; which detail matters most; which question belongs."""
    key = f"{'test' if raw.split == 'test' else 'train'}-{raw.line}"
    state, is_vague = {"request": raw["task"].strip()}, bool(raw.get("user_vague", raw["vague"]))
    if not is_vague or draw(key, "vague") < VAGUE_SHARE:
        noul = Noul()
        yield row(key, state, {"ask": noul}, {"ask": target(noul, is_vague)}, raw)
        yield row(key, state, {"specific": noul}, {"specific": target(noul, not is_vague)}, raw, "query_info")
    details = raw["missing_details"] if is_vague else []
    best = [detail["inquiry"] for detail in details if detail["importance"] == "3"]
    own = list(dict.fromkeys(detail["inquiry"] for detail in details))
    if len(best) == 1 and len(own) >= 3 and draw(key, "importance") < 0.7:
        yield question_row(key, state, best[0], [text for text in own if text != best[0]], raw)
    elif best:
        wrong = asked.wrong(raw["task"], own)
        if len(wrong) == WRONG:
            yield question_row(key, state, best[0], wrong, raw)


SOURCES = (
    Source(
        name="clamber",
        home="https://github.com/zt991211/CLAMBER",
        licence="unstated",
        licence_class="unknown",
        languages=("en",),
        capabilities=("clarify_decision",),
        files=(CLAMBER,),
        prepare=prepare_clamber,
    ),
    Source(
        name="in3",
        home="https://github.com/OpenBMB/Tell_Me_More",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("clarify_decision", "query_info"),
        files=IN3,
        prepare=prepare_in3,
        note="Of the two copies of the test split the one that people checked is read.",
    ),
)
