"""CrossWOZ: Chinese dialogues about hotels, restaurants and sights, with the look-ups made (Zhu et al. 2020).

The one who played the assistant filled in a form for each look-up; the forms are read before their results were seen.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from searchjev.digest import digest, pick, shuffled
from searchjev.recipes.choices import choice_of
from searchjev.schema import Answer, Choice, Question, State, target
from searchjev.source import Drop, File, Raw, Row, Source

CONTEXT = 4
"""Turns shown before the last one."""

FEWEST, MOST = 8, 14
KINDS = ("餐馆", "酒店", "景点")
LOOKING = re.compile("推荐|介绍|找|想|要|哪|选|安排|有没有|什么")
"""Words of a turn that asks for a place; without one of them, such a request is a slip of the annotation."""

NEAR = ("周边餐馆", "周边酒店", "周边景点")
Form: TypeAlias = tuple[tuple[str, str], ...]
"""Conditions of a look-up, each with its value."""

_DASH = re.compile(r"\s*-\s*")


class Turn(NamedTuple):
    """A user's turn: its dialogue so far, its acts, and the form that the assistant filled in after it."""

    key: str
    mother: str
    said: str
    before: list[dict[str, str]]
    acts: list[list[str]]
    old: Mapping[str, Form]
    new: Mapping[str, Form]


def forms_of(state: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Form]:
    """Filled-in conditions of each kind of place."""
    found = {}
    for kind in KINDS:
        filled = {name: value for name, value in (state or {}).get(kind, {}).items() if name != "selectedResults"}
        found[kind] = tuple((name, _DASH.sub("-", value.strip())) for name, value in filled.items() if value.strip())
    return found


def turns_of(name: str, dialogue: Mapping[str, Any]) -> Iterator[Turn]:
    """User turns that the assistant answered."""
    said: list[dict[str, str]] = []
    old, messages = forms_of(None), dialogue["messages"]
    for place, (message, reply) in enumerate(zip(messages, messages[1:], strict=False)):
        if message["role"] == "usr" and reply["role"] == "sys" and message["content"].strip():
            new = forms_of(reply.get("sys_state_init"))
            key = f"{name}-{place}"
            yield Turn(key, name, message["content"].strip(), said[-CONTEXT:], message["dialog_act"], old, new)
            old = forms_of(reply.get("sys_state"))
        role = "user" if message["role"] == "usr" else "assistant"
        said = [*said, {"role": role, "text": message["content"].strip()}]


def wish(kind: str, slot: str) -> str:
    """What a request is for, in words."""
    if slot == "名称":
        return f"推荐一个{kind}"
    if slot.startswith("酒店设施-"):
        return f"{kind}有没有{slot.removeprefix('酒店设施-')}"
    return f"{kind}的{slot.removeprefix('酒店') if slot == '酒店类型' else slot}"


def text_of(kind: str, form: Form) -> str:
    """Form in words."""
    return f"查{kind}：" + "，".join(
        f"在“{value}”周边" if name in NEAR else f"{name}＝{value.replace(' ', '、')}" for name, value in form
    )


def row(turn: Turn, capability: str, name: str, question: Question, answer: Answer) -> Row:
    """Row about the last turn of a dialogue."""
    state: State = {"utterance": turn.said, **({"dialogue": turn.before} if turn.before else {})}
    return Row(
        upstream_id=f"{turn.key}-{name}",
        capability=capability,
        language="zh",
        state=state,
        questions={name: question},
        answers={name: answer},
        tier="gold" if capability == "intent" else "derived",
        origin="native" if capability == "intent" else "derived",
        mother=turn.mother,
        group_keys=(f"crosswoz:{turn.mother}",),
    )


def is_other(first: str, second: str) -> bool:
    """Whether two values have nothing in common."""
    shares = set(first.split()) & set(second.split())
    return not shares and first not in second and second not in first


class Known:
    """Requests and forms that occur in the dialogues, and the values of each condition."""

    def __init__(self, turns: list[Turn]) -> None:
        self.wishes: dict[tuple[str, str], None] = {}
        self.forms: dict[str, dict[Form, None]] = defaultdict(dict)
        self.values: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for turn in turns:
            self.wishes |= dict.fromkeys((kind, slot) for act, kind, slot, _ in turn.acts if act == "Request")
            for kind, form in turn.new.items():
                self.forms[kind][form] = None
                for name, value in form:
                    self.values[kind, name][value] = None

    def changed(self, kind: str, form: Form, *key: str) -> Form | None:
        """Form with the value of one condition replaced by another that occurs; None where there is no other."""
        for place in shuffled(range(len(form)), *key, "condition"):
            name, value = form[place]
            others = [other for other in self.values[kind, name] if is_other(other, value)]
            if others:
                return (*form[:place], (name, pick(others, *key, "value")), *form[place + 1 :])
        return None


def wish_row(turn: Turn, known: Known) -> Row | None:
    """What the user asks for, where it is one thing: among requests about the same and other kinds of places."""
    asked = [(kind, slot) for act, kind, slot, _ in turn.acts if act == "Request"]
    if len(asked) != 1 or any(act == "Select" for act, *_ in turn.acts):
        return None
    kind, slot = asked[0]
    if slot == "名称" and not LOOKING.search(turn.said):
        return None
    others = [pair for pair in shuffled(list(known.wishes), turn.key, "others") if pair != asked[0]]
    near = [pair for pair in others if pair[0] == kind or pair[1] == slot]
    count = FEWEST + digest(turn.key, "count") % (MOST - FEWEST + 1)
    chosen = list(dict.fromkeys([asked[0], *near[: count // 2], *others]))[:count]
    options = [wish(*pair) for pair in shuffled(chosen, turn.key, "order")]
    question = Choice(dict.fromkeys(options))
    return row(turn, "intent", "intent", question, target(question, wish(kind, slot)))


def is_borne_out(kind: str, form: Form, turn: Turn) -> bool:
    """Whether every condition that the user just named for this kind of place stands in the form."""
    filled = dict(form)
    for act, about, slot, value in turn.acts:
        if act == "Inform" and about == kind:
            name, _, part = slot.partition("-")
            if _DASH.sub("-", part or value) not in filled.get(name, ""):
                return False
    return True


def look_up_row(turn: Turn, known: Known) -> Row | None:
    """Which look-up to make, where the turn calls for a new one: its form, another form, and each with a change."""
    kinds = [kind for kind in KINDS if turn.new[kind] and turn.new[kind] != turn.old[kind]]
    named = {kind for act, kind, *_ in turn.acts if act == "Inform"}
    if len(kinds) != 1 or named != set(kinds):
        return None
    kind, form = kinds[0], turn.new[kinds[0]]
    stale = [name for name, value in form if (name, value) in turn.old[kind]]
    if not is_borne_out(kind, form, turn) or (stale and not any(act == "Select" for act, *_ in turn.acts)):
        return None
    names = {name for name, _ in form}
    alike = [other for other in known.forms[kind] if other and not set(other) & set(form)]
    alike.sort(key=lambda other: (len(names ^ {name for name, _ in other}), digest(turn.key, repr(other))))
    other = turn.old[kind] if turn.old[kind] and not set(turn.old[kind]) & set(form) else next(iter(alike), None)
    if other is None:
        return None
    forms = [form, other, known.changed(kind, form, turn.key, "own"), known.changed(kind, other, turn.key, "other")]
    texts = list(dict.fromkeys(text_of(kind, found) for found in forms if found))
    return row(turn, "state_action", "look_up", *choice_of(texts, 0, turn.key)) if len(texts) > 2 else None


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every dialogue of the file, which is one object."""
    turns = [turn for name, dialogue in raw.value.items() for turn in turns_of(name, dialogue)]
    known = Known(turns)
    for turn in turns:
        found = [piece for piece in (wish_row(turn, known), look_up_row(turn, known)) if piece]
        yield from found or (Drop("no single request and no new look-up"),)


SOURCES = (
    Source(
        name="crosswoz",
        home="https://github.com/thu-coai/CrossWOZ",
        licence="Apache-2.0",
        licence_class="open",
        languages=("zh",),
        capabilities=("intent", "state_action"),
        files=(File(name="val.json", reader="json"),),
        rows=rows,
        note="a sample of the val dialogues; split by dialogue, for nothing of train or test is beside them",
    ),
)
