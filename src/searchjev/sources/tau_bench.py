"""tau-bench: runs of a customer service agent with tools and a simulated user (Yao et al. 2024).

Only runs that reached the right state of the database are imitated. The few-shot dialogues don't name the tool that was
called, so they tell only whether a call failed.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.choices import few_of
from searchjev.schema import Choice, Noul, State, target
from searchjev.source import Drop, File, Raw, Row, Source

RUNS = "historical_trajectories/gpt-4o-airline.json"
TOOLS = (
    "book_reservation", "cancel_reservation", "get_reservation_details", "get_user_details",
    "list_all_airports", "search_direct_flight", "search_onestop_flight", "send_certificate",
    "transfer_to_human_agents", "update_reservation_baggages", "update_reservation_flights",
    "update_reservation_passengers",
)  # fmt: skip
REPLY = "reply"
FINE_SHARE = 0.4
"""Share of dialogues without a failed call of which one that worked is kept."""

LONGEST, LAST = 700, 10
_TURN = re.compile(r"^(user|assistant|tool): ", re.MULTILINE)


class Move(NamedTuple):
    """One thing said or done: who, the words or the output, and for a tool its name and arguments."""

    role: str
    text: str
    tool: str = ""
    arguments: str = ""

    def as_state(self) -> dict[str, str]:
        """Move as it stands in a state; long outputs are cut."""
        text = self.text if len(self.text) <= LONGEST else self.text[:LONGEST] + " …"
        if self.role != "tool":
            return {"role": self.role, "text": text}
        return {"action": f"{self.tool}({self.arguments})" if self.tool else "tool call", "observation": text}


def moves_of(messages: list[dict[str, Any]]) -> list[Move]:
    """Moves of a run; a call and its output are one move."""
    moves, calls = [], {}
    for message in messages:
        for call in message.get("tool_calls") or []:
            calls[call["id"]] = call["function"]
        if message["role"] == "tool":
            call = calls.get(message["tool_call_id"], {"name": message["name"], "arguments": ""})
            moves.append(Move("tool", message["content"] or "", call["name"], call["arguments"]))
        elif message["role"] != "system" and message.get("content"):
            moves.append(Move(message["role"], message["content"]))
    return moves


def shown_moves(text: str) -> list[Move]:
    """Moves of a dialogue kept as text; calls themselves are left blank there."""
    marks = list(_TURN.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    moves = [Move(mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)]
    return [move for move in moves if move.text != "None"]


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one run or dialogue: two of its steps, and a call that failed or worked."""
    is_run = raw.file == RUNS
    moves = moves_of(raw["traj"]) if is_run else shown_moves(raw["messages_display"])
    key = f"{raw.file.rpartition('/')[2].split('.')[0].split('-few')[0]}-{raw.line}"
    rows: list[Row | Drop] = [*failed_rows(raw, key, moves)]
    if is_run and raw["reward"] == 1.0:
        rows += step_rows(raw, key, moves)
    yield from rows or [Drop("no call, and not solved")]


def mother_of(raw: Raw, key: str) -> str:
    """Task of a run, for every task was tried four times; a dialogue stands alone."""
    return f"task-{raw['task_id']}" if raw.file == RUNS else key


def step_rows(raw: Raw, key: str, moves: list[Move]) -> Iterator[Row]:
    """One call and one reply of a solved run, to be told from what came before."""
    for kind in ("tool", "assistant"):
        places = [
            i for i, move in enumerate(moves)
            if i > 0 and move.role == kind and move.tool in (*TOOLS, "") and "###" not in move.text
        ]  # fmt: skip
        if places:
            place = pick(places, key, kind)
            gold = moves[place].tool or REPLY
            tools = few_of(TOOLS, moves[place].tool or pick(TOOLS, key, "any"), 3, 7, key, kind)
            question = Choice(dict.fromkeys(shuffled([*tools, REPLY], key, kind)))
            state: State = {"dialogue": [move.as_state() for move in moves[max(0, place - LAST) : place]]}
            yield Row(
                upstream_id=f"{key}-{place}",
                capability="action_imitation",
                language="en",
                state=state,
                questions={"action": question},
                answers={"action": target(question, gold)},
                tier="demonstration",
                mother=mother_of(raw, key),
                group_keys=(f"task:{mother_of(raw, key)}",),
            )


def failed_rows(raw: Raw, key: str, moves: list[Move]) -> Iterator[Row]:
    """A call that failed and one that worked; of dialogues where all worked only some."""
    calls = [i for i, move in enumerate(moves) if move.role == "tool" and move.text and move.tool != "think"]
    bad = [i for i in calls if moves[i].text.startswith("Error")]
    good = [i for i in calls if i not in bad]
    places = [pick(bad, key, "bad")] if bad else []
    if good and (bad or draw(key, "fine") < FINE_SHARE):
        places.append(pick(good, key, "good"))
    for place in places:
        question = Noul()
        before = [move.as_state() for move in moves[max(0, place - 4) : place]]
        yield Row(
            upstream_id=f"{key}-{place}",
            capability="failure_recovery",
            language="en",
            state={"dialogue": before, "last_step": moves[place].as_state()},
            questions={"failed": question},
            answers={"failed": target(question, place in bad)},
            tier="derived",
            mother=mother_of(raw, key),
            group_keys=(f"task:{mother_of(raw, key)}",),
        )


SOURCES = (
    Source(
        name="tau_bench",
        home="https://github.com/sierra-research/tau-bench",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("action_imitation", "failure_recovery"),
        files=(
            File(name=RUNS, reader="json"),
            File(name="few_shot_data/MockRetailDomainEnv-few_shot.jsonl"),
            File(name="few_shot_data/MockAirlineDomainEnv-few_shot.jsonl"),
        ),
        rows=to_rows,
    ),
)
