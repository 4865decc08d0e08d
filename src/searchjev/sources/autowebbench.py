"""AutoWebBench: steps of browsing tasks in English and Chinese over simplified pages (AutoWebGLM, Lai et al. 2024)."""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import draw, shuffled
from searchjev.schema import Choice, Language, Noul, Question, target
from searchjev.source import Drop, File, Raw, Row, Source

KINDS = {
    "click": "click",
    "type_string": "type",
    "scroll_page": "scroll",
    "hover": "hover",
    "go": "go",
    "user_input": "hand_over",
    "finish": "finish",
}
LONGEST = 3500
LAST_COMMANDS = 6
CLICKS, GOING_ON = 0.4, 0.35
MIN_ELEMENTS, MAX_ELEMENTS = 4, 7
_PARTS = re.compile(
    r"(.*?)\n\nYou are a helpful assistant.*#Previous commands:(.*?)\n\n#Window tabs:.*?"
    r"#Current viewport \(pages\): (.*?)\n\n#Task:(.*?)\n\nYou should output one command",
    re.DOTALL,
)
_ELEMENT = re.compile(r"<\w+\[(\w+)\]\|([^<>]*)")
_TARGET = re.compile(r"(\w+)\((?:'(\w+)')?")
_WORD = re.compile(r"[\u4e00-\u9fff]|\w{3,}")


class Step(NamedTuple):
    """One step of a task: page, commands before it, place in the page, task, and the command that follows."""

    id: str
    language: Language
    page: str
    commands: list[str]
    viewport: str
    task: str
    kind: str
    element: str


def commands_of(text: str) -> list[str]:
    """Latest commands, what they were applied to beside them; repeats of one command are counted."""
    lines = [line.replace(" #HTML Segment:", " on").strip() for line in text.strip().split("\n")]
    lines = [line for line in lines if line and line != "None"]
    counted = [(line, len(list(group))) for line, group in itertools.groupby(lines)]
    return [line if count == 1 else f"{line} ({count} times)" for line, count in counted][-LAST_COMMANDS:]


def step_of(raw: Raw) -> Step | None:
    """Step of a record; None where its text or its command has another form."""
    parts, command = _PARTS.match(raw["source"]), _TARGET.match(raw["target"])
    if parts is None or command is None or command[1] not in KINDS:
        return None
    language: Language = "zh" if raw.file.startswith("zh") else "en"
    key = f"{raw.file.removesuffix('_test.json')}-{raw.line}"
    page, commands, viewport, task = (part.strip() for part in parts.groups())
    return Step(key, language, page, commands_of(commands), viewport, task, KINDS[command[1]], command[2] or "")


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Kind of the next command, whether the task is done, and which element was clicked."""
    step = step_of(raw)
    if step is None:
        yield Drop("another form of text or command")
        return
    found = [*kind_rows(raw, step), *element_rows(raw, step)]
    yield from found
    if not found:
        yield Drop("page too long, element unnamed, or thinned out")


def kind_rows(raw: Raw, step: Step) -> Iterator[Row]:
    """What to do next on the page shown; clicks and unfinished states are thinned out."""
    if len(step.page) > LONGEST:
        return
    if step.kind != "click" or draw(step.id, "click") < CLICKS:
        yield row(raw, step, "action_imitation", "action", Choice(dict.fromkeys(KINDS.values())), step.kind)
    if step.commands and (step.kind == "finish" or draw(step.id, "going on") < GOING_ON):
        yield row(raw, step, "stop_boundary", "done", Noul(), step.kind == "finish")


def element_rows(raw: Raw, step: Step) -> Iterator[Row]:
    """Which of several elements was clicked; the others share most words with the task."""
    texts = {name: " ".join(text.split()) for name, text in _ELEMENT.findall(step.page)}
    right = texts.get(step.element, "")
    if step.kind != "click" or len(right) < 2 or not shared(step.task, right):
        return
    others = {text for text in texts.values() if len(text) > 1 and text not in right and right not in text}
    ranked = shuffled(sorted(others), step.id, "others")
    ranked.sort(key=lambda text: shared(step.task, text), reverse=True)
    order = shuffled([right, *ranked[: MAX_ELEMENTS - 1]], step.id, "elements")
    if len(order) >= MIN_ELEMENTS:
        names = [f"e{i}" for i in range(1, len(order) + 1)]
        question = Choice(dict(zip(names, order, strict=True)))
        yield row(raw, step, "state_action", "element", question, names[order.index(right)])


def shared(task: str, text: str) -> int:
    """Count the words that an element shares with the task; an element that shares none may be any of many."""
    return len(set(_WORD.findall(task.lower())) & set(_WORD.findall(text.lower())))


def row(raw: Raw, step: Step, capability: str, question_id: str, question: Question, gold: bool | str) -> Row:
    """Row about a step; where elements are the options, the page is left out."""
    state: dict[str, object] = {"task": step.task, "commands": step.commands}
    if capability != "state_action":
        state |= {"page": step.page, "viewport": step.viewport}
    return Row(
        upstream_id=step.id,
        capability=capability,
        language=step.language,
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="demonstration",
        split=raw.split,
        mother=step.id,
        group_keys=(f"task:{step.task}",),
    )


SOURCES = (
    Source(
        name="autowebbench",
        home="https://github.com/THUDM/AutoWebGLM",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en", "zh"),
        capabilities=("action_imitation", "state_action", "stop_boundary"),
        files=tuple(
            File(name=f"{language}_{domain}_test.json", reader="json", split="test")
            for language in ("en", "zh")
            for domain in ("ind", "ood")
        ),
        rows=to_rows,
    ),
)
