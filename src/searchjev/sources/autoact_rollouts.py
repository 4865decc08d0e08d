"""AutoAct: rollouts of a question-answering agent with real search results and real errors (Qiao et al. 2024)."""

import re
from collections.abc import Iterator

from searchjev.digest import pick
from searchjev.recipes.trajectory import Step, steps_of
from searchjev.schema import Choice, Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

KINDS = {"bingsearch": "search", "retrieve": "retrieve", "lookup": "lookup", "finish": "finish"}
ERRORS = ("invalid action", "no results", "could not find that page", "the last page retrieved", "bingsearch error")
MAX_OBSERVATION = 1800
MAX_STEPS_CHARS = 2400
_QUESTION = re.compile(r"^Question: ", re.MULTILINE)


def failed(step: Step) -> bool:
    """Whether what came back is an error of the environment."""
    return step.observation.lower().startswith(ERRORS)


def usable(step: Step) -> bool:
    """Whether a step is a look-up whose observation is of readable length."""
    return step.action in KINDS and step.action != "finish" and 0 < len(step.observation) <= MAX_OBSERVATION


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one rollout: did its look-ups fail; and the kind of its good steps, where its answer was right."""
    episode = _QUESTION.split(raw["prompt"])[-1]
    steps = steps_of(episode)
    looks = list(_leading(steps))
    if not looks:
        yield Drop("no look-up of readable length")
        return
    for side in (True, False):
        places = [i for i, step in enumerate(looks) if failed(step) is side]
        if places:
            yield failure_row(raw, looks, pick(places, str(raw.line), str(side)), side)
    if raw["correct"]:
        yield from action_rows(raw, steps, len(looks))


def recent(steps: list[Step]) -> list[dict[str, str]]:
    """Latest steps that together stay readable; the last one always."""
    kept: list[Step] = []
    for step in reversed(steps):
        if kept and sum(len(s.observation) for s in [*kept, step]) > MAX_STEPS_CHARS:
            break
        kept.append(step)
    return [step.as_state() for step in reversed(kept)]


def _leading(steps: list[Step]) -> Iterator[Step]:
    for step in steps:
        if not usable(step):
            return
        yield step


def failure_row(raw: Raw, looks: list[Step], place: int, side: bool) -> Row:
    """Whether the look-up at a place failed, judged from its observation."""
    state = {
        "question": raw["question"],
        "steps": [{"action": step.as_state()["action"]} for step in looks[:place]],
        "last_step": looks[place].as_state(),
    }
    question = Noul()
    return Row(
        upstream_id=f"{raw.line}-{place}",
        capability="failure_recovery",
        language="en",
        state=state,
        questions={"failed": question},
        answers={"failed": target(question, side)},
        tier="derived",
        mother=str(raw.line),
    )


def action_rows(raw: Raw, steps: list[Step], count: int) -> Iterator[Row]:
    """Kind of each step that came after a look-up and did not fail itself."""
    for place in range(1, min(count + 1, len(steps))):
        kind = KINDS.get(steps[place].action)
        if kind is None or failed(steps[place]):
            continue
        question = Choice({"search": None, "retrieve": None, "lookup": None, "finish": None})
        yield Row(
            upstream_id=f"{raw.line}-{place}",
            capability="action_imitation",
            language="en",
            state={"question": raw["question"], "steps": recent(steps[:place])},
            questions={"action": question},
            answers={"action": target(question, kind)},
            tier="demonstration",
            mother=str(raw.line),
        )


SOURCES = (
    Source(
        name="autoact_rollouts",
        home="https://github.com/zjunlp/AutoAct",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("action_imitation", "failure_recovery"),
        files=(File(name="hotpotqa_train_data.jsonl"),),
        rows=to_rows,
        held_out="test",
    ),
)
