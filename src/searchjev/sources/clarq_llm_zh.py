"""ClarQ-LLM, Chinese half: game tasks whose helper tells one thing at a time when asked (Gan et al. 2024).

A state holds what the helper has told: everything, or everything but one point, which is then left to ask about.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import draw, pick
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Noul, Question, target
from searchjev.source import Drop, File, Raw, Row, Source

TASKS = (
    "1._Gather_Resources", "2._Escort_Mission", "3._Stealth_Mission", "4._Survival_Challenge", "5._Construction_Task",
    "6._Defense_Mission", "7._Competition", "8._Weapon_Manufacturing", "9._Hunting_Expedition", "10._Rescue_Mission",
    "11._Arena_Battle", "12._Scientific_Experiment", "13._Photography_Mission", "14._Trade_Task",
    "15._Exploration_Journey", "16._Electrical_Engineering", "17._Automobile_Manufacturing", "18._Painting_Task",
    "19._Repair_Mission", "20._Training_Session", "21._Digging_Mission", "22._Electronic_Engineering",
    "23._Planting_Task", "24._Alliance_Building", "25._Cooking_Delicacies", "26._Video_Production",
    "27._Animal_Care", "28._Archaeological_Excavation", "29._Escape_Mission", "30._Planning_Tourism", "31._Magic_Task",
)  # fmt: skip
PLAIN = ("role", "task", "items", "skills", "places")
MIN_POINTS = 3
_NUMBER = re.compile(r"[\d.]+")
_POINT = re.compile(r"没有(?:介绍|说明|说清楚|讲清楚|给出|提到|告诉|交代|明确)(?:说明|指出)?(.{3,30}?)[，。]")


class Task(NamedTuple):
    """One task: what the seeker has, what the helper can tell in order, and the place of each point's parent."""

    id: str
    given: dict[str, object]
    told: list[str]
    numbers: list[str]
    points: list[str]

    @property
    def leaves(self) -> list[int]:
        """Places of what can be left out: no other point rests on it, and the opening is never left out."""
        if len(self.numbers) != len(self.told):
            return [len(self.told) - 1]
        rests = [any(other.startswith(f"{number}.") for other in self.numbers) for number in self.numbers]
        return [i for i in range(1, len(self.told)) if not rests[i]]

    def state(self, without: int | None) -> dict[str, object]:
        """State with everything told, or everything but one point."""
        return {**self.given, "told": [text for i, text in enumerate(self.told) if i != without]}


def task_of(raw: Raw) -> Task | None:
    """Task of a record; None where its parts are missing."""
    parts = [part.strip() for part in raw["background_splitted"]]
    lines = [line.strip().removeprefix("Jax:").strip() for line in raw["all_response"].split("\n") if line.strip()]
    told = [line for line in lines if not _NUMBER.fullmatch(line)]
    if len(parts) != len(PLAIN) or len(told) < MIN_POINTS:
        return None
    given: dict[str, object] = {"task": parts[1]}
    given |= {name: part.split("\n") for name, part in zip(PLAIN[2:], parts[2:], strict=True) if part}
    found = [_POINT.search(text) for text in raw.get("all_response_exaplain", ())]
    points = [match[1].strip() if match else "" for match in found]
    key = f"{raw.file.split('/')[-1].split('.')[0]}-{raw.line}"
    return Task(key, given, told, [line for line in lines if _NUMBER.fullmatch(line)], points)


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Whether something is left to ask; and, where the points are described, which of them."""
    task = task_of(raw)
    if task is None or not task.leaves:
        yield Drop("empty record or too few points")
        return
    complete = draw(task.id, "complete") < 0.5
    state = task.state(None if complete else pick(task.leaves, task.id, "left out"))
    noul = Noul()
    yield row(raw, task, "ask", state, {"ask_more": noul}, {"ask_more": target(noul, not complete)})
    known = [i for i in task.leaves if len(task.points) == len(task.told) - 1 and task.points[i - 1]]
    texts = list(dict.fromkeys(point for point in task.points if point))
    if known and len(texts) >= MIN_POINTS:
        left = pick(known, task.id, "point")
        question, answer = choice_of(texts, texts.index(task.points[left - 1]), task.id)
        yield row(raw, task, "point", task.state(left), {"which_point": question}, {"which_point": answer})


def row(
    raw: Raw,
    task: Task,
    name: str,
    state: dict[str, object],
    questions: dict[str, Question],
    answers: dict[str, Answer],
) -> Row:
    """Row of a task."""
    return Row(
        upstream_id=f"{task.id}-{name}",
        capability="clarify_decision",
        language="zh",
        state=state,
        questions=questions,
        answers=answers,
        tier="derived",
        origin="derived",
        split=raw.split,
        mother=task.id,
        group_keys=(f"task:{task.given['task']}",),
    )


SOURCES = (
    Source(
        name="clarq_llm_zh",
        home="https://github.com/ygan/ClarQ-LLM",
        licence="MIT",
        licence_class="open",
        languages=("zh",),
        capabilities=("clarify_decision",),
        files=tuple(File(name=f"Chinese/{name}.json", reader="json", split="test") for name in TASKS),
        rows=to_rows,
        note="The simulated dialogues of two language models are not read.",
    ),
)
