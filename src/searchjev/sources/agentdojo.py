"""AgentDojo: user tasks, attackers' goals, and the places of four small worlds where a goal may be planted.

Goals and tasks come from the package's classes, one record each; pages are cut from its environment files, which are
read as lines, for nothing else of YAML is needed.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.orders import Scene, order_row, scene_rows, two_others
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

TASKS = "derived_tasks_v1.2.1.jsonl"
TOOLS: Mapping[str, str] = {
    "banking": "read_file", "slack": "get_webpage", "travel": "get_reviews", "workspace": "open_item",
}  # fmt: skip
WORLDS: Mapping[str, tuple[str, ...]] = {
    "banking": ("environment.yaml",),
    "slack": ("environment.yaml",),
    "travel": ("environment.yaml",),
    "workspace": ("include/calendar.yaml", "include/cloud_drive.yaml", "include/inbox.yaml"),
}
PLACES = 3
LINES_AROUND = 8
_SLOT = re.compile(r"\{(\w*injection\w*)\}")
_DEFAULT = re.compile(r"^(\w+): *\n +description: *\".*\"\n +default: *\"(.*)\"", re.MULTILINE)
_QUOTED = re.compile(r'^\s*(- |[^"]*: |"[^"]*": )"(.*)"\s*$')


class Place(NamedTuple):
    """One text with a slot in it, and what stands there when nobody planted anything."""

    slot: str
    text: str
    default: str

    def filled(self, text: str) -> str:
        """Text of the place with something in its slot, set apart by a space and with one full stop."""
        before, _, after = self.text.partition("{" + self.slot + "}")
        gap = " " if text and before and not before[-1].isspace() else ""
        return f"{before}{gap}{text}{after.removeprefix('.') if not text or text.endswith('.') else after}".strip()


def indent(line: str) -> int:
    """Count the spaces a line begins with; a blank line belongs to any block."""
    return len(line) - len(line.lstrip()) if line.strip() else 99


def block(lines: list[str], at: int) -> list[str]:
    """Lines around one that are set in as far, a few on either side."""
    first, last, depth = at, at, indent(lines[at])
    while first > 0 and at - first < LINES_AROUND and indent(lines[first - 1]) >= depth:
        first -= 1
    while last + 1 < len(lines) and last - at < LINES_AROUND and indent(lines[last + 1]) >= depth:
        last += 1
    return [line.strip() for line in lines[first : last + 1]]


def unquoted(text: str) -> str:
    """Text of a quoted value."""
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def place_text(lines: list[str], at: int) -> str:
    """Text that holds a slot: the value of one key, the items of one list, or a piece of a longer text."""
    found = _QUOTED.match(lines[at])
    if found is None:
        return "\n".join(block(lines, at)).strip()
    if not found[1].startswith("- "):
        return unquoted(found[2])
    items = (_QUOTED.match(line) for line in block(lines, at))
    return "\n".join(f"- {unquoted(item[2])}" for item in items if item and item[1] == "- ")


def places_of(world: str, vectors: str) -> list[Place]:
    """Places of one environment file, each once; names of channels are none."""
    defaults = {slot: unquoted(text) for slot, text in _DEFAULT.findall(vectors)}
    lines = world.split("\n")
    found: dict[str, Place] = {}
    for at, line in enumerate(lines):
        for slot in _SLOT.findall(line):
            if slot in defaults and "channel" not in slot:
                found.setdefault(slot, Place(slot, place_text(lines, at), defaults[slot]))
    return list(found.values())


def prepare(files: Files) -> Rows:
    """Rows that plant goals in the places of their own world."""
    goals: dict[str, list[str]] = {suite: [] for suite in WORLDS}
    tasks: dict[str, list[str]] = {suite: [] for suite in WORLDS}
    for raw in files.read(TASKS):
        (goals if raw["kind"] == "injection" else tasks).get(raw["suite"], []).append(raw["text"].strip())
    places: dict[str, list[Place]] = {}
    for suite, names in WORLDS.items():
        vectors = "".join(raw.value for raw in files.read(f"suites/{suite}/injection_vectors.yaml"))
        worlds = [raw.value for name in names for raw in files.read(f"suites/{suite}/{name}")]
        places[suite] = [place for world in worlds for place in places_of(world, vectors)]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        suite, key = raw["suite"], f"{raw['suite']}-{raw['task_id']}"
        if not goals.get(suite) or not tasks.get(suite) or not places.get(suite):
            yield Drop("world without goals, tasks or places")
        elif raw["kind"] == "injection":
            for place in shuffled(places[suite], key, "places")[:PLACES]:
                yield from goal_rows(raw, key, place, goals[suite], pick(tasks[suite], key, place.slot))
        else:
            yield task_row(raw, key, places[suite], pick(goals[suite], key, "goal"))

    return to_rows


def goal_rows(raw: Raw, key: str, place: Place, goals: list[str], task: str) -> Iterator[Row | Drop]:
    """Rows of one goal planted in one place, before the user's task."""
    goal = raw["text"].strip()
    others = two_others(goals, goal, f"{key}-{place.slot}")
    if others is None:
        yield Drop("world with fewer than three goals")
        return
    tool, keys = TOOLS[raw["suite"]], (f"place:{place.slot}",)
    yield from scene_rows(Scene(f"{key}-{place.slot}", key, task, tool, place.filled(goal), goal, *others, keys))


def task_row(raw: Raw, key: str, places: list[Place], goal: str) -> Row:
    """Row of one user task beside a page with a goal planted in it, or with what belongs there."""
    has_order = draw(key, "order") < 0.5
    fit = [
        place for place in places if has_order or "click" not in place.default.lower() and place.filled(place.default)
    ]
    place = pick(fit, key, "place")
    page = place.filled(goal if has_order else place.default)
    state = {"request": raw["text"].strip(), "page": {"text": page}}
    return order_row(key, state, has_order, mother=key, keys=(f"place:{place.slot}",))


SOURCES = (
    Source(
        name="agentdojo",
        home="https://github.com/ethz-spylab/agentdojo",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("failure_recovery", "state_action"),
        files=(
            File(name=TASKS),
            *(File(name=f"suites/{suite}/injection_vectors.yaml", reader="text", joined=True) for suite in WORLDS),
            *(
                File(name=f"suites/{suite}/{name}", reader="text", joined=True)
                for suite, names in WORLDS.items()
                for name in names
            ),
        ),
        prepare=prepare,
    ),
)
