"""Runs of search agents as rows: the kind of the next step, whether to stop, whether a step failed, the next query."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.trajectory import Step
from searchjev.schema import Choice, Noul, Question, State, target
from searchjev.source import Row, SplitName

LONGEST = 3000
"""Characters of observations above which no row is made: a shortened run could lack what the step rests on."""

UNFAILING_SHARE = 0.1
MIN_WRONG, MAX_WRONG = 2, 4


class Run(NamedTuple):
    """One episode: its goal under the name that the state gives it, and its steps, the last of which may finish."""

    id: str
    goal: str
    steps: list[Step]
    split: SplitName | None = None
    name: str = "question"
    keys: tuple[str, ...] = ()

    def before(self, place: int) -> State:
        """State at a place: the goal and the steps so far."""
        return {self.name: self.goal, "steps": [step.as_state() for step in self.steps[:place]]}

    def is_short(self, place: int) -> bool:
        """Whether what came back before a place stays readable."""
        return sum(len(step.observation) for step in self.steps[:place]) <= LONGEST


def drawn_places(run: Run, kinds: Sequence[str], finishing: float) -> list[int]:
    """One step on the way, and the finishing step in a share of the runs; the first step rests on nothing and is left.

    `kinds` are the actions that count, the finishing one last.
    """
    last = len(run.steps) - 1
    ways = [i for i in range(1, last + 1) if run.steps[i].action in kinds[:-1] and run.is_short(i)]
    places = [pick(ways, run.id, "way")] if ways else []
    if last > 0 and run.steps[last].action == kinds[-1] and run.is_short(last) and draw(run.id, "finish") < finishing:
        places.append(last)
    return places


def action_row(run: Run, place: int, kinds: Sequence[str]) -> Row:
    """Row asking which kind of step came at a place."""
    question = Choice(dict.fromkeys(kinds))
    return row(run, place, "action_imitation", run.before(place), "action", question, run.steps[place].action)


def stop_row(run: Run, place: int, finish: str) -> Row:
    """Row asking whether the search may stop at a place; it may where a run that ended well did."""
    is_last = run.steps[place].action == finish
    return row(run, place, "stop_boundary", run.before(place), "stop", Noul(), is_last)


def failed_rows(run: Run, failed: Callable[[Step], bool]) -> Iterator[Row]:
    """Rows asking whether a step failed: one that did, and one that did not in those runs and a few others."""
    for side in (True, False):
        places = [
            i for i, step in enumerate(run.steps) if 0 < len(step.observation) <= LONGEST and failed(step) is side
        ]
        if side and not places and draw(run.id, "unfailing") >= UNFAILING_SHARE:
            return
        if places:
            place = pick(places, run.id, str(side))
            done = [{"action": step.as_state()["action"]} for step in run.steps[:place]]
            state = {run.name: run.goal, "steps": done, "last_step": run.steps[place].as_state()}
            yield row(run, place, "failure_recovery", state, "failed", Noul(), side)


def query_row(run: Run, place: int, wrong: Sequence[str]) -> Row | None:
    """Row asking which query comes at a place; wrong are queries tried before and those handed in."""
    right = run.steps[place].argument
    done = [step.argument for step in run.steps[:place]]
    others = [text for text in dict.fromkeys([*done[-2:], *wrong]) if text.lower() != right.lower()][:MAX_WRONG]
    if len(others) < MIN_WRONG or right in done:
        return None
    question = Choice(dict.fromkeys(shuffled([right, *others], run.id, "options")))
    return row(run, place, "next_query", run.before(place), "query", question, right)


def row(
    run: Run, place: int, capability: str, state: State, question_id: str, question: Question, gold: bool | str
) -> Row:
    """Row about the step at a place of a run."""
    return Row(
        upstream_id=f"{run.id}-{place}",
        capability=capability,
        language="en",
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="derived" if capability == "failure_recovery" else "demonstration",
        origin="derived" if capability == "failure_recovery" else "native",
        split=run.split,
        mother=run.id,
        group_keys=run.keys,
    )
