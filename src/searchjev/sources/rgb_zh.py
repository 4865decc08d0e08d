"""RGB, Chinese part: news questions with passages that hold the answer and noise that does not (Chen et al. 2023)."""

import re
from collections.abc import Iterator

from searchjev.digest import pick, shuffled
from searchjev.recipes.hops import Page, Problem, enough, marginal, retrieval, select, stop
from searchjev.source import Drop, File, Raw, Row, Source

MIN_NOISE = 5
MAX_CHARS = 320
_SPACE = re.compile(r"\s+")
_END = re.compile(r"(?<=[。！？])")


def page_of(text: str, answers: list[str] | None = None) -> Page:
    """Untitled page of a passage; what matters is its first sentence with an answer."""
    sentences = tuple(part for part in _END.split(_SPACE.sub(" ", text).strip()) if part)
    holding = [i for i, part in enumerate(sentences) if any(answer in part for answer in answers or ())]
    last = len(sentences) - 1
    return Page("", sentences, holding[0] if holding else last if answers else pick((0, 1, last), text))


def flat(answer: object) -> list[str]:
    """Every accepted answer of a value that is a string, a list or a list of lists."""
    return [text for item in answer for text in flat(item)] if isinstance(answer, list) else [str(answer)]


def usable(passages: list[str]) -> list[str]:
    """Passages that are neither fragments nor whole articles."""
    return [text for text in dict.fromkeys(passages) if 30 <= len(text) <= MAX_CHARS]


def holding(passages: list[str], answers: list[str]) -> list[str]:
    """Passages that hold at least half of the answers word for word: others only hint at them."""
    return [text for text in passages if 2 * sum(answer in text for answer in answers) >= len(answers)]


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one question; a question in parts needs a passage for each part."""
    record_id = f"{raw.file.removesuffix('.json')}-{raw['id']}"
    parts = raw["positive"] if raw["positive"] and isinstance(raw["positive"][0], list) else [raw["positive"]]
    answers = [flat(raw[key]) for key in ("asnwer1", "answer2") if raw.get(key)]
    if len(answers) != len(parts):
        answers = [flat(raw["answer"])] * len(parts)
    found = [holding(usable(part), accepted) for part, accepted in zip(parts, answers, strict=True)]
    noise = [text for text in usable(raw["negative"]) if not any(answer in text for answer in flat(raw["answer"]))]
    if not all(found):
        yield Drop("no usable passage with the answer")
        return
    if len(noise) < MIN_NOISE:
        yield Drop("too few usable noise passages")
        return
    held = [page_of(pick(part, record_id, str(i)), answers[i]) for i, part in enumerate(found)]
    away = [page_of(text) for text in shuffled(noise, record_id)[: MIN_NOISE + 3]]
    needed = tuple(range(len(held)))
    problem = Problem(
        "rgb_zh",
        record_id,
        raw["query"].strip(),
        flat(raw["answer"])[0],
        (*held, *away),
        needed,
        language="zh",
    )
    for side in (True, False):
        yield enough(problem, complete=side)
        yield marginal(problem, useful=side)
        yield stop(problem, complete=side)
    yield retrieval(problem, complete=pick((True, False), record_id, "retrieval"))
    yield from select(problem)


SOURCES = (
    Source(
        name="rgb_zh",
        home="https://github.com/chen700564/RGB",
        licence="CC-BY-NC-SA-4.0",
        licence_class="research",
        languages=("zh",),
        capabilities=(
            "evidence_sufficiency_state",
            "marginal_gain",
            "retrieval_gain",
            "serp_select",
            "stop_boundary",
        ),
        files=(File(name="zh_refine.json"), File(name="zh_int.json")),
        rows=to_rows,
        note="zh_fact is left out: its counterfactual passages contradict the true answer on purpose",
    ),
)
