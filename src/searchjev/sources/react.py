"""ReAct: runs of a prompted agent over claims (FEVER) and in a toy shop (WebShop), from two notebooks (Yao 2022)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import shuffled
from searchjev.recipes.runs import Run, action_row, drawn_places, failed_rows, row, stop_row
from searchjev.recipes.trajectory import Step, steps_of
from searchjev.schema import Choice
from searchjev.source import Drop, File, Raw, Row, Source

CLAIM_KINDS = ("search", "lookup", "finish")
SHOP_KINDS = ("search", "open_item", "choose_option", "buy")
PAGE_BUTTONS = {"back to search", "< prev", "next >", "description", "features", "reviews", "attributes"}
ERRORS = ("could not find", "no more results", "invalid action")
FINISHING = 0.4
_CLAIM = re.compile(r"^\d* ?Claim: (.*)$", re.MULTILINE)
_NOTICE = "Pages for logged out editors learn more. "
_STYLE = re.compile(r"(?:[, ]*\.mw-parser-output[^{}]*\{[^{}]*\})+")
_SHOP_STEP = re.compile(r"^Action: (\w+)\[([^\n]*)\]\nObservation:(.*?)(?=^Action: |\Z)", re.MULTILINE | re.DOTALL)
_GOAL = re.compile(r"Instruction:\s*\n(.*?)\n\[Search\]", re.DOTALL)
_ITEM = re.compile(r"^\[(B[0-9A-Z]{9})\] *\n(.+?) *\n(\$\S+)", re.MULTILINE)
_SCORE = re.compile(r"Your score \(min 0\.0, max 1\.0\): ([\d.]+)")
_NUMBERS = re.compile(r"\n[\d. ]+\n-{5,}\s*\Z")


def output_of(raw: Raw) -> str:
    """Everything that a notebook printed."""
    outputs = (output for cell in raw["cells"] for output in cell.get("outputs", ()))
    return "".join("".join(output.get("text", ())) for output in outputs)


def told(step: Step) -> str:
    """Observation without the site's notice and without what the agent mused after it."""
    return _STYLE.sub("", step.observation.split("\n\n")[0].removeprefix(_NOTICE))


def failed(step: Step) -> bool:
    """Whether what came back is an error of the environment."""
    return step.observation.lower().startswith(ERRORS)


def claim_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every run over a claim in a notebook; only runs with the right verdict show what to do next."""
    for number, text in enumerate(output_of(raw).split("\n-----------\n")):
        claim = _CLAIM.search(text)
        if claim is None:
            yield Drop("no claim")
            continue
        steps = [step._replace(observation=told(step)) for step in steps_of(text)]
        goal = claim[1].strip()
        run = Run(f"claim-{number}", goal, steps, raw.split, "claim", (f"claim:{goal}",))
        yield from failed_rows(run._replace(steps=[step for step in steps if step.action != "finish"]), failed)
        if "'em': 1" not in text:
            yield Drop("wrong verdict: not to be imitated")
            continue
        for place in drawn_places(run, CLAIM_KINDS, FINISHING):
            yield action_row(run, place, CLAIM_KINDS)
            if run.steps[place].argument != "NOT ENOUGH INFO":
                yield stop_row(run, place, "finish")


class Shopping(NamedTuple):
    """One episode in the shop: the instruction, its steps with kinds of action, and the score of what was bought."""

    goal: str
    steps: list[Step]
    score: float


def kind_of(action: str, argument: str) -> str:
    """Kind of an action in the shop."""
    if action != "click":
        return action
    if argument.lower() in PAGE_BUTTONS:
        return "button"
    if argument == "Buy Now":
        return "buy"
    return "open_item" if re.fullmatch(r"B[0-9A-Z]{9}", argument) else "choose_option"


def shopping_of(text: str) -> Shopping | None:
    """Episode of a printed run; thoughts are left out."""
    goal, score = _GOAL.search(text), _SCORE.search(text)
    if goal is None:
        return None
    found = [m for m in _SHOP_STEP.finditer(_NUMBERS.sub("\n", text)) if m[1] != "think"]
    steps = [Step(kind_of(m[1], m[2]), m[2], " ".join(m[3].split())) for m in found]
    return Shopping(" ".join(goal[1].split()), steps, float(score[1]) if score else 0.0)


def shop_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every episode in the shop; only those that bought the right thing show what to do next."""
    for number, text in enumerate(re.split(r"-{10,}\n-{10,}\n", output_of(raw))):
        shopping = shopping_of(text)
        if shopping is None or not shopping.steps:
            yield Drop("no instruction or steps")
            continue
        key = f"instruction:{shopping.goal}"
        run = Run(f"shop-{number}", shopping.goal, shopping.steps, raw.split, "instruction", (key,))
        yield from failed_rows(run._replace(steps=[s for s in run.steps if s.action != "buy"]), failed)
        if shopping.score < 1 or any(map(failed, run.steps)):
            yield Drop("wrong purchase or failed steps: not to be imitated")
            continue
        for place in drawn_places(run, SHOP_KINDS, FINISHING):
            yield action_row(run, place, SHOP_KINDS)
        yield from select_rows(run, text)


def select_rows(run: Run, text: str) -> Iterator[Row]:
    """Which item of the first list was opened and bought, where it was the only one that was opened."""
    opened = [step.argument for step in run.steps if step.action == "open_item"]
    page = next((m[3] for m in _SHOP_STEP.finditer(text) if m[1] == "search"), "")
    items = {m[1]: f"{m[2].strip()} ({m[3]})" for m in _ITEM.finditer(page)}
    if len(set(opened)) != 1 or opened[0] not in items or len(set(items.values())) < 3:
        return
    order = shuffled(sorted(items), run.id, "results")
    names = [f"r{i}" for i in range(1, len(order) + 1)]
    question = Choice({name: items[item] for name, item in zip(names, order, strict=True)})
    state = {"instruction": run.goal, "query": run.steps[0].argument}
    yield row(run, 1, "serp_select", state, "open", question, names[order.index(opened[0])])


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of all runs that a notebook printed."""
    yield from claim_rows(raw) if raw.file.startswith("FEVER") else shop_rows(raw)


SOURCES = (
    Source(
        name="react",
        home="https://github.com/ysymyth/ReAct",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("action_imitation", "failure_recovery", "stop_boundary", "serp_select"),
        files=(File(name="FEVER.ipynb", reader="json"), File(name="WebShop.ipynb", reader="json")),
        rows=to_rows,
        note="Agent steps are of a language model; only those of runs that ended well are kept.",
    ),
)
