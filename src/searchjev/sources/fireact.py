"""FireAct: Thought/Action/Observation runs of question-answering search agents (Chen et al. 2023)."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import pick, shuffled
from searchjev.recipes.trajectory import Step, steps_of
from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

ALPACA = "finetune/alpaca_format/multitask_multimethod.json"
TRAJS = "trajs/hotpotqa_dev_0_500_ft_gpt-3.5-turbo-0613.json"
FILES = (File(name=ALPACA, reader="json", split="train"), File(name=TRAJS, reader="json", split="val"))
MIN_WRONG, MAX_WRONG = 2, 4
_WORD = re.compile(r"\w{4,}")


class Run(NamedTuple):
    """One episode: id, question, steps, and whether its answer was right."""

    id: str
    question: str
    steps: list[Step]
    is_right: bool

    @property
    def queries(self) -> list[str]:
        """Arguments of its searches in order."""
        return [step.argument for step in self.steps if step.action == "search"]


def runs_of(raw: Raw) -> Iterator[Run]:
    """Episodes of a record: one of the training file, all of a file of rollouts."""
    if raw.file == ALPACA:
        text = raw["output"]
        is_right = bool(re.search(r"reward = (True|1)", text))
        yield Run(f"train-{raw.line}", raw["instruction"].removeprefix("Question:").strip(), steps_of(text), is_right)
        return
    for key, run in raw.value.items():
        text = "\n".join(turn["content"] for turn in run["traj"][1:])
        yield Run(f"dev-{key}", run["traj"][0]["content"].strip(), steps_of(text), bool(run["reward"]))


class Queries:
    """Queries of all runs of one file by word."""

    def __init__(self, records: Iterator[Raw]) -> None:
        self.by_word: dict[str, set[str]] = defaultdict(set)
        for query in (query for raw in records for run in runs_of(raw) for query in run.queries):
            for word in _WORD.findall(query.lower()):
                self.by_word[word].add(query)

    def foreign(self, run: Run) -> list[str]:
        """Queries of other runs that share words with the question, rarest words first."""
        words = sorted(set(_WORD.findall(run.question.lower())), key=lambda word: (len(self.by_word[word]), word))
        own = {query.lower() for query in run.queries}
        near = [query for word in words for query in sorted(self.by_word[word])[:6] if query.lower() not in own]
        return list(dict.fromkeys(near))[: 2 * MAX_WRONG]


def prepare(files: Files) -> Rows:
    """Rows with distractor queries from other runs of the same file that share words with the question."""
    queries = {file.name: Queries(files.read(file.name)) for file in FILES}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        for run in runs_of(raw):
            if not run.is_right:
                yield Drop("wrong answer: not to be imitated")
            elif len(run.steps) < 2 or run.steps[-1].action != "finish":
                yield Drop("no search before the answer")
            else:
                yield from run_rows(raw, run, queries[raw.file].foreign(run))

    return to_rows


def run_rows(raw: Raw, run: Run, foreign: list[str]) -> Iterator[Row]:
    """The finishing step and one search on the way, as kinds of action; that search also as a query."""
    last = len(run.steps) - 1
    yield row(raw, run, last, "action_imitation", Choice({"search": None, "finish": None}), "finish")
    later = [i for i in range(1, last) if run.steps[i].action == "search"]
    if not later:
        return
    place = pick(later, run.id, "search")
    yield row(raw, run, place, "action_imitation", Choice({"search": None, "finish": None}), "search")
    right = run.steps[place].argument
    done = [step.argument for step in run.steps[:place] if step.argument != right]
    wrong = list(dict.fromkeys([*done[-2:], *foreign]))[:MAX_WRONG]
    if len(wrong) >= MIN_WRONG and right not in [step.argument for step in run.steps[:place]]:
        options = shuffled([right, *wrong], run.id, "options")
        yield row(raw, run, place, "next_query", Choice(dict.fromkeys(options)), right)


def row(raw: Raw, run: Run, place: int, capability: str, question: Choice, gold: str) -> Row:
    """Row about the step at a place of a run, from what came before it."""
    question_id = "query" if capability == "next_query" else "action"
    return Row(
        upstream_id=f"{run.id}-{place}",
        capability=capability,
        language="en",
        state={"question": run.question, "steps": [step.as_state() for step in run.steps[:place]]},
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="demonstration",
        split=raw.split,
        mother=run.id,
        group_keys=(f"question:{run.question.lower().rstrip('? ')}",),
    )


SOURCES = (
    Source(
        name="fireact",
        home="https://github.com/anchen1011/FireAct",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("action_imitation", "next_query"),
        files=FILES,
        prepare=prepare,
    ),
)
