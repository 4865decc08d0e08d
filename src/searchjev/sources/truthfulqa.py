"""TruthfulQA: questions that tempt to repeat what many believe, with right and wrong answers (Lin et al. 2021)."""

import re
from collections.abc import Iterator

from searchjev.digest import draw, pick
from searchjev.recipes.replies import judgement, preference
from searchjev.source import Drop, File, Raw, Row, Source

FARTHEST = 0.35
"""Difference in length, as a share of the longer answer, up to which a pair is used."""

OWN = "Indexical Error"
"""Categories about the answerer itself, its time and place: their answers are right for a certain model only."""

_HEDGE = re.compile(r"no comment|i don't know|i have no|it depends|there is no|unknown|unclear", re.IGNORECASE)


def answers_of(text: str) -> list[str]:
    """Single answers of a cell, those that commit themselves first."""
    found = [part.strip() for part in text.split(";") if part.strip()]
    return [part for part in found if not _HEDGE.search(part)] or found


def alike(right: list[str], wrong: list[str], key: str) -> tuple[str, str] | None:
    """Right and wrong answer of about equal length, drawn among the three nearest pairs; None where there is none."""
    pairs = sorted(((a, b) for a in right for b in wrong), key=lambda pair: (apart(*pair), pair))
    near = [pair for pair in pairs[:3] if apart(*pair) <= FARTHEST]
    return pick(near, "truthfulqa", key) if near else None


def apart(first: str, second: str) -> float:
    """Difference in length as a share of the longer one."""
    return abs(len(first) - len(second)) / max(len(first), len(second))


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """A pair of answers, and one of the two alone."""
    request, key = raw["Question"].strip(), str(raw.line)
    pair = alike(answers_of(raw["Correct Answers"]), answers_of(raw["Incorrect Answers"]), key)
    if raw["Category"].startswith(OWN):
        yield Drop("about the answerer itself")
    elif pair is None:
        yield Drop("no right and wrong answer of like length")
    else:
        good, bad = pair
        yield from preference(request, good, bad, 1.0, upstream_id=key, language="en", tier="derived", mother=key)
        holds = draw("truthfulqa", key, "shown") < 0.5
        state: dict[str, object] = {"request": request, "reply": good if holds else bad}
        yield judgement("truthful", state, holds, upstream_id=key, language="en", mother=key)


SOURCES = (
    Source(
        name="truthfulqa", home="https://github.com/sylinrl/TruthfulQA", licence="Apache-2.0",
        licence_class="evaluation-only", languages=("en",), capabilities=("preference_pair", "response_quality"),
        rows=to_rows, held_out="test", files=(File(name="TruthfulQA.csv", reader="csv"),),
    ),
)  # fmt: skip
