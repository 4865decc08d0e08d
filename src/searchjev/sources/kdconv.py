"""KdConv: Chinese dialogues grounded in a knowledge graph, each utterance with the facts it used (Zhou et al. 2020)."""

from collections.abc import Iterator
from typing import Any

from searchjev.digest import digest, draw, shuffled
from searchjev.schema import Choice, State, target
from searchjev.source import Drop, File, Raw, Row, Source

CONTEXT = 5
"""Turns of the dialogue that a state shows before the last one."""

WRONG = 4


def turns_of(messages: list[Any], end: int) -> list[dict[str, str]]:
    """Turns before `end`, speakers alternating as a and b."""
    start = max(0, end - CONTEXT)
    return [{"role": "ab"[i % 2], "text": messages[i]["message"]} for i in range(start, end)]


def row(raw: Raw, place: int, capability: str, state: State, question: Choice, gold: str) -> Row:
    """Row about what comes after turn `place` of a dialogue."""
    record_id = f"{raw.file.removesuffix('_dev.json')}-{raw.line}"
    question_id = "query" if capability == "next_query_zh" else "action"
    return Row(
        upstream_id=f"{record_id}-{place}",
        capability=capability,
        language="zh",
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="derived",
        origin="derived",
        mother=record_id,
        group_keys=(f"topic:{raw['name']}",),
    )


def state_of(messages: list[Any], place: int) -> State:
    """Last utterance and the turns before it."""
    return {"utterance": messages[place - 1]["message"], "dialogue": turns_of(messages, place - 1)}


def fact_queries(messages: list[Any]) -> list[str]:
    """Every `entity attribute` that the dialogue uses, without repeats; long texts are no attribute."""
    attrs = (attr for message in messages for attr in message.get("attrs") or ())
    return list(dict.fromkeys(f"{a['name']} {a['attrname']}" for a in attrs if a["attrname"] != "Information"))


def query_row(raw: Raw, place: int) -> Row | None:
    """Which fact to look up for a reply that used exactly one, where the turn before it asked; None otherwise."""
    messages = raw["messages"]
    right = fact_queries(messages[place : place + 1])
    known = set(fact_queries(messages[:place]))
    if len(right) != 1 or right[0] in known or "？" not in messages[place - 1]["message"]:
        return None
    wrong = shuffled([q for q in fact_queries(messages) if q != right[0]], raw["name"], str(place), "wrong")[:WRONG]
    if len(wrong) < 2:
        return None
    options = shuffled([right[0], *wrong], raw["name"], str(place), "options")
    return row(raw, place, "next_query_zh", state_of(messages, place), Choice(dict.fromkeys(options)), right[0])


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one dialogue: look up or reply at once, for some turns; which fact to look up, where a turn asked."""
    messages = raw["messages"]
    if len(messages) < 4:
        yield Drop("dialogue of fewer than four turns")
        return
    found = [piece for place in range(2, len(messages)) for piece in turn_rows(raw, place)]
    yield from found or (Drop("no turn drawn"),)


def turn_rows(raw: Raw, place: int) -> Iterator[Row]:
    """Rows about the reply at a place: whether it needed a look-up, for some replies, and which."""
    message = raw["messages"][place]
    looked_up = bool(message.get("attrs"))
    if draw(raw["name"], str(digest(message["message"])), "kept") < (0.15 if looked_up else 0.27):
        action = Choice({"look_up": None, "reply": None})
        gold = "look_up" if looked_up else "reply"
        yield row(raw, place, "state_action", state_of(raw["messages"], place), action, gold)
    if (found := query_row(raw, place)) is not None:
        yield found


SOURCES = (
    Source(
        name="kdconv",
        home="https://github.com/thu-coai/KdConv",
        licence="Apache-2.0",
        licence_class="open",
        languages=("zh",),
        capabilities=("next_query_zh", "state_action"),
        files=tuple(File(name=f"{domain}_dev.json", reader="json") for domain in ("film", "music", "travel")),
        rows=to_rows,
        note="only dev dialogues were found; they are split by topic, for nothing of train or test is beside them",
    ),
)
