"""Runs of question-answering agents in two published sets: NAT (Wang 2024) and KnowAgent (Zhu 2024).

NAT leaves out its questions; a run is used where its first search is a question of its own. Yes-or-no answers are
often right by chance, so its runs don't tell when to stop. Of KnowAgent only the run itself is read, never the worked
examples before it, and not the plans, which name the next step.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from searchjev.recipes.runs import Run, action_row, drawn_places, failed_rows, query_row, stop_row
from searchjev.recipes.trajectory import Step, steps_of
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

NAT = (
    File(name="strategyqa_gpt-3.5_negative.json", reader="json", split="train"),
    File(name="strategyqa_gpt-3.5_positive.json", reader="json", split="train"),
)
KNOWAGENT = (
    File(name="KnowAgentHotpotQA_llama-2-13b_D0.jsonl"),
    File(name="HotpotQA_data_knowagent.json", reader="json", split="train"),
)
NAT_KINDS = ("search", "finish")
KINDS = ("search", "retrieve", "lookup", "finish")
ERRORS = ("no results", "could not find", "the last page", "invalid action")
NAT_FINISHING, FINISHING = 0.4, 0.8
MOST_SHARED = 0.5
_QUESTION = re.compile(r"(?:^|\n)Question: ")
_PLAN = re.compile(r"^ActionPath \d+:.*$\n?", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")


def nat_run(raw: Raw) -> Run | None:
    """Run of a NAT record, from its second step on; None where its first search is no question."""
    steps = steps_of("\n".join(turn["content"].strip() for turn in raw["conversations"]))
    if not steps or steps[0].action != "search" or not steps[0].argument.endswith("?"):
        return None
    name = "right" if raw["info"].get("acc") else "wrong"
    return Run(f"{name}-{raw.line}", steps[0].argument, steps, raw.split, keys=(f"question:{raw['id']}",))


class Queries:
    """Later queries of all runs by word, each with the question that it was asked for."""

    def __init__(self, runs: Iterator[Run]) -> None:
        self.by_word: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for run in runs:
            for step in run.steps[1:]:
                for word in _WORD.findall(step.argument.lower()) if step.action == "search" else ():
                    self.by_word[word].add((step.argument, run.goal))

    def foreign(self, run: Run) -> list[str]:
        """Queries of unlike questions that share words with this one, rarest words first."""
        words = sorted(set(_WORD.findall(run.goal.lower())), key=lambda word: (len(self.by_word[word]), word))
        near = dict.fromkeys(pair for word in words for pair in sorted(self.by_word[word])[:8])
        unlike = (query for query, goal in near if share(goal, run.goal) < MOST_SHARED)
        return [query for query in dict.fromkeys(unlike) if share(query, run.goal) < MOST_SHARED][:4]


def share(text: str, goal: str) -> float:
    """Share of a text's words that the question holds too."""
    words = _WORD.findall(text.lower())
    return sum(word in goal.lower() for word in words) / max(1, len(words))


def prepare_nat(files: Files) -> Rows:
    """Rows with distractor queries of other runs; only runs with the right answer are imitated."""
    queries = Queries(run for file in NAT for raw in files.read(file.name) if (run := nat_run(raw)))

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        run = nat_run(raw)
        if run is None:
            yield Drop("first search is no question")
        elif not raw["info"].get("acc"):
            yield Drop("wrong answer: not to be imitated")
        else:
            found = list(nat_rows(run, queries))
            yield from found
            if not found:
                yield Drop("no step drawn")

    return to_rows


def nat_rows(run: Run, queries: Queries) -> Iterator[Row]:
    """Next step at the drawn places; the query of a later search."""
    for place in drawn_places(run, NAT_KINDS, NAT_FINISHING):
        yield action_row(run, place, NAT_KINDS)
        if run.steps[place].action == "search" and (found := query_row(run, place, queries.foreign(run))):
            yield found


def failed(step: Step) -> bool:
    """Whether what came back is an error of KnowAgent's environment."""
    return step.observation.lower().startswith(ERRORS)


def knowagent_run(raw: Raw) -> Run | None:
    """Run of a KnowAgent record: the last question of its prompt and the steps after it."""
    text = raw["prompt"] if "prompt" in raw.value else f"{raw['input'].strip()}\n{raw['output']}"
    question, _, episode = _QUESTION.split(_PLAN.sub("", text))[-1].partition("\n")
    kind = "train" if raw.file == KNOWAGENT[1].name else "rollout"
    steps = steps_of(episode)
    keys = (f"question:{question.strip().lower().rstrip('? ')}",)
    return Run(f"{kind}-{raw.line}", question.strip(), steps, raw.split, keys=keys) if question and steps else None


def knowagent_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Which look-ups failed; the next step, where the answer was right and that step did not fail."""
    run = knowagent_run(raw)
    if run is None:
        yield Drop("no question or steps")
        return
    looks = [step for step in run.steps if step.action in KINDS[:-1]]
    found = [*failed_rows(run._replace(steps=looks), failed)]
    if (run.steps[-1].observation or "").endswith("Answer is CORRECT"):
        good = [i for i, step in enumerate(run.steps) if not failed(step)]
        places = [place for place in drawn_places(run, KINDS, FINISHING) if place in good]
        found += [action_row(run, place, KINDS) for place in places]
        found += [stop_row(run, place, "finish") for place in places]
    yield from found
    if not found:
        yield Drop("wrong answer, and no failure to ask about")


SOURCES = (
    Source(
        name="nat_strategyqa",
        home="https://github.com/Reason-Wang/NAT",
        licence="unstated (StrategyQA: MIT)",
        licence_class="unknown",
        languages=("en",),
        capabilities=("action_imitation", "next_query"),
        files=NAT,
        prepare=prepare_nat,
        note="Steps are GPT-3.5's over real search results; only those of runs with the right answer are kept.",
    ),
    Source(
        name="knowagent",
        home="https://github.com/zjunlp/KnowAgent",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("action_imitation", "failure_recovery", "stop_boundary"),
        files=KNOWAGENT,
        rows=knowagent_rows,
        note="The household runs of the same set are left out: they search no text.",
    ),
)
