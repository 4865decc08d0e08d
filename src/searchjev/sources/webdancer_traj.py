"""WebDancer: question-answering runs with batched web searches and page visits, published as a sample (Wu 2025).

All runs ended well, so every step may be imitated. Thoughts are left out, and of each query only its
first results are shown.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.schema import Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILE = File(name="sample_traj.jsonl", split="train")
KINDS = ("search", "visit", "finish")
FINISHING = 0.35
RESULTS, SNIPPET, PAGE = 4, 220, 700
LONGEST = 4500
MOST_SHARED = 0.4
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_QUERY = re.compile(r"^A Google search for '(.*?)' found", re.MULTILINE)
_RESULT = re.compile(r"^\d+\. \[(.*?)\]\((\S+)\)\s*\n(.*?)(?=^\d+\. \[|^=======|^A Google search|\Z)", re.M | re.DOTALL)
_DATE = re.compile(r"^Date published: .*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_WORD = re.compile(r"\w{4,}")


class Step(NamedTuple):
    """One tool call: search or visit, its queries or addresses, and what came back as it stands in a state."""

    kind: str
    targets: list[str]
    state: dict[str, Any]


class Run(NamedTuple):
    """One run: its number, question, tool calls, and final answer."""

    id: str
    question: str
    steps: list[Step]
    answer: str

    @property
    def queries(self) -> list[str]:
        """Queries of its first search."""
        return self.steps[0].targets if self.steps and self.steps[0].kind == "search" else []


def results_of(text: str) -> list[dict[str, str]]:
    """First results of each query of a response: title, address and snippet."""
    found: dict[str, dict[str, str]] = {}
    for part in re.split(r"^(?=A Google search for )", text, flags=re.MULTILINE):
        for match in list(_RESULT.finditer(part))[:RESULTS]:
            snippet = " ".join(_DATE.sub("", match[3]).split())[:SNIPPET]
            found.setdefault(match[2], {"title": match[1].strip(), "url": match[2], "snippet": snippet})
    return list(found.values())


def step_of(call: str, response: str) -> Step | None:
    """Tool call with its response; None where the call can't be read."""
    try:
        value = json.loads(call)
        kind, arguments = value["name"], value["arguments"]
        targets = arguments["query" if kind == "search" else "url"]
    except (ValueError, KeyError, TypeError):
        return None
    text = response.removeprefix("<tool_response>").removesuffix("</tool_response>").strip()
    targets = [targets] if isinstance(targets, str) else [str(target) for target in targets]
    if kind == "search":
        return Step(kind, targets, {"action": "search", "queries": targets, "results": results_of(text)})
    goal = str(arguments.get("goal", ""))
    return Step(
        "visit", targets, {"action": "visit", "urls": targets, "goal": goal, "page": " ".join(text.split())[:PAGE]}
    )


def run_of(raw: Raw) -> Run | None:
    """Run of a record; None where its messages don't alternate between call and response up to an answer."""
    texts = [message["content"] for message in raw["messages"]]
    question = texts[1].rsplit("User:", 1)[-1].strip() if len(texts) > 1 else ""
    calls, responses = texts[2:-1:2], texts[3:-1:2]
    steps: list[Step] = []
    for call, response in zip(calls, responses, strict=False):
        found = _CALL.search(call)
        step = step_of(found[1], response) if found else None
        if step is None:
            return None
        steps.append(step)
    answer = re.search(r"<answer>(.*?)</answer>", texts[-1], re.DOTALL)
    return Run(str(raw.line), question, steps, answer[1].strip()) if question and steps and answer else None


class Queries:
    """First queries of all runs by word, each with the question that it was asked for."""

    def __init__(self, records: Iterator[Raw]) -> None:
        self.by_word: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for run in filter(None, map(run_of, records)):
            for query in run.queries:
                for word in _WORD.findall(query.lower()):
                    self.by_word[word].add((query, run.question))

    def foreign(self, run: Run) -> list[str]:
        """Queries of unlike questions that share words with this one, rarest words first."""
        words = sorted(set(_WORD.findall(run.question.lower())), key=lambda word: (len(self.by_word[word]), word))
        near = dict.fromkeys(pair for word in words for pair in sorted(self.by_word[word])[:12])
        unlike = (query for query, question in near if share(question, run.question) < MOST_SHARED)
        return [query for query in dict.fromkeys(unlike) if share(query, run.question) < MOST_SHARED][:6]


def share(text: str, question: str) -> float:
    """Share of a text's words that a question holds too: what is asked of a like question may be right."""
    words = _WORD.findall(text.lower())
    return sum(word in question.lower() for word in words) / max(1, len(words))


def prepare(files: Files) -> Rows:
    """Rows with distractor queries from other runs."""
    queries = Queries(files.read(FILE.name))

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        run = run_of(raw)
        if run is None:
            yield Drop("no readable run")
            return
        found = [*step_rows(raw, run), *select_rows(raw, run), *query_rows(raw, run, queries.foreign(run))]
        yield from found
        if not found:
            yield Drop("nothing to ask about the run")

    return to_rows


def holds_answer(run: Run) -> bool:
    """Whether what is shown of the results names what the answer sets in bold, or the answer itself."""
    shown = json.dumps([step.state for step in run.steps], ensure_ascii=False).lower()
    names = [name.strip(" .").lower() for name in _BOLD.findall(run.answer)] or [run.answer.strip(" .").lower()]
    return any(name in shown for name in names)


def step_rows(raw: Raw, run: Run) -> Iterator[Row]:
    """Kind of each later call and, in a share of the runs whose results hold the answer, of the answering step."""
    for place in range(1, len(run.steps) + 1):
        steps = [step.state for step in run.steps[:place]]
        is_last = place == len(run.steps)
        if is_last and (draw(run.id, "finish") >= FINISHING or not holds_answer(run)):
            continue
        if len(json.dumps(steps, ensure_ascii=False)) > LONGEST:
            continue
        state = {"question": run.question, "steps": steps}
        kind = "finish" if is_last else run.steps[place].kind
        yield row(raw, run, place, "action_imitation", state, {"action": (Choice(dict.fromkeys(KINDS)), kind)})
        yield row(raw, run, place, "stop_boundary", state, {"stop": (Noul(), is_last)})


def select_rows(raw: Raw, run: Run) -> Iterator[Row]:
    """Which result of the search before was visited, where it was one of those shown."""
    for place in range(1, len(run.steps)):
        shown = {found["url"]: found for found in run.steps[place - 1].state.get("results", ())}
        targets = [url for url in run.steps[place].targets if url in shown]
        if run.steps[place].kind != "visit" or len(targets) != 1 or len(shown) < 3:
            continue
        others = [url for url in shuffled(sorted(shown), run.id, "others") if url != targets[0]][:5]
        order = shuffled([targets[0], *others], run.id, "results")
        names = [f"r{i}" for i in range(1, len(order) + 1)]
        texts = [f"{shown[url]['title']} ({url}): {shown[url]['snippet']}" for url in order]
        question = Choice(dict(zip(names, texts, strict=True)))
        state = {"question": run.question, "queries": run.steps[place - 1].targets}
        yield row(raw, run, place, "serp_select", state, {"open": (question, names[order.index(targets[0])])})


def query_rows(raw: Raw, run: Run, foreign: list[str]) -> Iterator[Row]:
    """One query of the first search among queries of other runs."""
    if not run.queries or len(foreign) < 2:
        return
    right = pick(run.queries, run.id, "query")
    question = Choice(dict.fromkeys(shuffled([right, *foreign[:4]], run.id, "options")))
    state = {"question": run.question, "steps": []}
    yield row(raw, run, 0, "next_query", state, {"query": (question, right)})


def row(
    raw: Raw, run: Run, place: int, capability: str, state: dict[str, Any], golds: dict[str, tuple[Question, Any]]
) -> Row:
    """Row about the step at a place of a run."""
    return Row(
        upstream_id=f"{run.id}-{place}",
        capability=capability,
        language="en",
        state=state,
        questions={name: question for name, (question, _) in golds.items()},
        answers={name: target(question, gold) for name, (question, gold) in golds.items()},
        tier="demonstration",
        split=raw.split,
        mother=run.id,
        group_keys=(f"question:{run.question}",),
    )


SOURCES = (
    Source(
        name="webdancer_traj",
        home="https://github.com/Alibaba-NLP/WebAgent",
        licence="unstated in the sample's snapshot",
        licence_class="unknown",
        languages=("en",),
        capabilities=("action_imitation", "next_query", "serp_select", "stop_boundary"),
        files=(FILE,),
        prepare=prepare,
    ),
)
