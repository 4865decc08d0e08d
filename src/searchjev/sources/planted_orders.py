"""Orders planted in tool outputs: InjecAgent (Zhan et al. 2024), BIPIA (Yi et al. 2023), ASB (Zhang et al. 2024)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.orders import Scene, order_row, planted, scene_rows, two_others
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

SLOT = "<Attacker Instruction>"
INJECAGENT = tuple(File(name=f"test_cases_{kind}_base.json", reader="json") for kind in ("dh", "ds"))
LONGEST = 2400
_QUESTION = "Q: "


def injecagent(files: Files) -> Rows:
    """Rows of a case beside other attackers' instructions of the same file."""
    orders = {file.name: [raw["Attacker Instruction"] for raw in files.read(file.name)] for file in INJECAGENT}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        order, key = raw["Attacker Instruction"].strip(), f"{raw.file[11:13]}-{raw.line}"
        others = two_others([text.strip() for text in orders[raw.file]], order, key)
        if SLOT not in raw["Tool Response Template"] or others is None:
            yield Drop("no place for the instruction in the response")
            return
        tool = raw["User Tool"]
        output = raw["Tool Response Template"].replace(SLOT, order)
        keys = (f"tool:{tool}",)
        yield from scene_rows(
            Scene(key, tool, raw["User Instruction"], tool, output, order, *others, keys, raw.split)
        )  # fmt: skip

    return to_rows


def asb(files: Files) -> Rows:
    """Rows of an attacker's instruction behind the result of one of the agent's own tools."""
    tasks = {raw["agent_name"]: raw["tasks"] for raw in files.read("agent_task.jsonl")}
    tools: dict[str, list[Any]] = defaultdict(list)
    for raw in files.read("all_normal_tools.jsonl"):
        tools[raw["Corresponding Agent"]].append(raw.value)
    orders: dict[str, list[str]] = defaultdict(list)
    for raw in files.read("all_attack_tools.jsonl"):
        orders[raw["Corresponding Agent"]].append(raw["Attacker Instruction"].strip())

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        agent, order, key = raw["Corresponding Agent"], raw["Attacker Instruction"].strip(), str(raw.line)
        others = two_others(orders[agent], order, key)
        if not tools[agent] or not tasks.get(agent) or others is None:
            yield Drop("agent without tools, tasks or other instructions")
            return
        own, request = shuffled(tools[agent], key, "tools"), pick(tasks[agent], key, "task")
        tool, clean = own[0]["Tool Name"], own[0]["Expected Achievements"].strip()
        keys = (f"agent:{agent}",)
        yield from scene_rows(Scene(key, agent, request, tool, f"{clean} {order}", order, *others, keys))
        has_order = draw(key, "order") < 0.5
        more = [order] if has_order else [item["Expected Achievements"].strip() for item in own[1:2]]
        page = {"request": request, "tool": tool, "tool_output": " ".join([clean, *more])}
        yield order_row(key, page, has_order, mother=agent, keys=keys)

    return to_rows


def bipia(files: Files) -> Rows:
    """Rows of a mail, a table or a page about an error, with an attack of the same split planted in it or without."""
    attacks: dict[str, list[str]] = {}
    for kind in ("text", "code"):
        for split in ("train", "test"):
            for raw in files.read(f"{kind}_attack_{split}.json"):
                attacks[f"{kind}-{split}"] = [text.strip() for texts in raw.value.values() for text in texts]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        kind, part = raw.file.removesuffix(".jsonl").split("/")
        page = "\n".join(raw["context"]) if kind == "code" else raw["context"]
        request = code_request(raw) if kind == "code" else raw["question"].removeprefix(_QUESTION)
        if not page.strip() or len(page) + len(request) > LONGEST:
            yield Drop("empty or longer than 2,400 characters")
            return
        key, orders = f"{kind}-{part}-{raw.line}", attacks[f"{'code' if kind == 'code' else 'text'}-{part}"]
        order = pick(orders, key, "attack")
        keys, has_order = (f"page:{page}",), draw(key, "order") < 0.5
        text = planted(page, order, key) if has_order else page
        yield order_row(
            key, {"request": request, "page": {"text": text}}, has_order, mother=key, keys=keys, split=raw.split
        )
        others = two_others(orders, order, key)
        if kind != "code" and others:
            output = planted(page, order, key)
            tool = "read_mail" if kind == "email" else "read_page"
            yield from scene_rows(Scene(key, key, request, tool, output, order, *others, keys, raw.split))
        if kind == "email":
            yield answerable_row(raw, key, request, page)

    return to_rows


def code_request(raw: Raw) -> str:
    """Request to repair a piece of code, with its error."""
    error = next((line for line in reversed(raw["error"]) if line.strip()), "")
    return "Repair this code:\n" + "\n".join(raw["code"]) + f"\nError: {error}"


def answerable_row(raw: Raw, key: str, question: str, page: str) -> Row:
    """Row that asks whether a mail tells the amount asked for."""
    found = Noul()
    return Row(
        upstream_id=key,
        capability="evidence_sufficiency",
        language="en",
        state={"question": question, "passage": page},
        questions={"answers": found},
        answers={"answers": target(found, raw["ideal"].strip().lower() != "unknown")},
        split=raw.split,
        mother=key,
        group_keys=(f"page:{page}",),
    )


_BIPIA = tuple(
    File(name=f"{kind}/{split}.jsonl", split=split)
    for kind in ("email", "table", "code")
    for split in ("train", "test")
)
_ATTACKS = tuple(
    File(name=f"{kind}_attack_{split}.json", reader="json", joined=True)
    for kind in ("text", "code")
    for split in ("train", "test")
)

SOURCES = (
    Source(
        name="injecagent",
        home="https://github.com/uiuc-kang-lab/InjecAgent",
        licence="unknown",
        licence_class="unknown",
        languages=("en",),
        capabilities=("failure_recovery", "state_action"),
        files=INJECAGENT,
        prepare=injecagent,
    ),
    Source(
        name="bipia",
        home="https://github.com/microsoft/BIPIA",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("evidence_sufficiency", "failure_recovery", "state_action"),
        files=(*_BIPIA, *_ATTACKS),
        prepare=bipia,
    ),
    Source(
        name="asb",
        home="https://github.com/agiresearch/ASB",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("failure_recovery", "state_action"),
        files=(
            File(name="all_attack_tools.jsonl"),
            File(name="all_normal_tools.jsonl", joined=True),
            File(name="agent_task.jsonl", joined=True),
        ),
        prepare=asb,
    ),
)
