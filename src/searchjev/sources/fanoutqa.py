"""FanOutQA: questions that fan out into many look-ups, with their decomposition (Zhu et al. 2024)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import shuffled
from searchjev.recipes.hops import Hop, Page, Problem, rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

DEV = "fanout-final-dev.json"
MAX_STEPS = 9
OTHERS = 6


class Step(NamedTuple):
    """One look-up: sub-question, its page, and the answer as text."""

    question: str
    title: str
    answer: str


def flat(answer: Any) -> str:  # noqa: ANN401 - strings, numbers, lists or objects
    """Answer as one line of text."""
    if isinstance(answer, dict):
        return "; ".join(f"{name}: {flat(value)}" for name, value in answer.items())
    if isinstance(answer, list):
        return ", ".join(flat(item) for item in answer)
    return str(answer)


def steps_of(value: Any) -> list[Step]:  # noqa: ANN401 - published record
    """Look-ups of a question in order, nested ones in their place; steps without a page are arithmetic."""
    steps = []
    for part in value.get("decomposition") or []:
        steps += steps_of(part)
        if part.get("evidence"):
            steps.append(Step(part["question"].strip(), part["evidence"]["title"], flat(part["answer"])))
    return steps


def prepare(files: Files) -> Rows:
    """Rows with distractor look-ups taken from other questions, of a shared category where there are enough."""
    records = [raw.value for raw in files.read(DEV)]
    steps = [(record["id"], frozenset(record["categories"]), step) for record in records for step in steps_of(record)]

    def others(value: Any, own: list[Step]) -> list[Step]:  # noqa: ANN401
        titles = {step.title for step in own}
        near = set(value["categories"])
        pool = [(not near & kinds, step) for key, kinds, step in steps if key != value["id"]]
        pool = sorted(shuffled(pool, value["id"]), key=lambda item: item[0])
        found = {step.title: step for _, step in pool[: 12 * OTHERS] if step.title not in titles}
        return list(found.values())[:OTHERS]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        own = list({step.title: step for step in steps_of(raw.value)}.values())
        if not 2 <= len(own) <= MAX_STEPS:
            yield Drop("fewer than 2 or more than 9 look-ups")
            return
        yield from rows(problem_of(raw, own, others(raw.value, own)))

    return to_rows


def problem_of(raw: Raw, own: list[Step], away: list[Step]) -> Problem:
    """Question as a problem: a page is the answered sub-question under the title of its source."""
    pages = tuple(Page(step.title, (step.question, f" {step.answer}")) for step in [*own, *away])
    wrong = tuple(step.question for step in away[:2])
    hops = tuple(Hop(step.question, i, wrong) for i, step in enumerate(own))
    return Problem("fanoutqa", raw["id"], raw["question"].strip(), "", pages, tuple(range(len(own))), hops, raw.split)


SOURCES = (
    Source(
        name="fanoutqa",
        home="https://github.com/zhudotexe/fanoutqa",
        licence="CC-BY-SA-4.0",
        licence_class="open",
        languages=("en",),
        capabilities=(
            "evidence_sufficiency_state",
            "marginal_gain",
            "next_query",
            "query_fit",
            "retrieval_gain",
            "serp_select",
            "stop_boundary",
        ),
        files=(File(name=DEV, reader="json", split="val"),),
        prepare=prepare,
        held_out="val",
    ),
)
