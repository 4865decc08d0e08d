"""AgentBench knowledge-graph questions with the tool calls that answer them, results not stored (Liu et al. 2023)."""

import re
from collections.abc import Iterator, Mapping

from searchjev.digest import draw, pick, shuffled
from searchjev.schema import Choice, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (File(name="kg_rl_all.json", reader="json", split="train"), File(name="dev.json", reader="json", split="val"))
LISTING = ("get_relations", "get_attributes")
ANSWERING = 0.6
WRONG = 4
_CALL = re.compile(r"(\w+)\((.*)\)\s*\Z", re.DOTALL)


class Calls:
    """Tool calls of one question, entities by their names, with the results that they leave."""

    def __init__(self, raw: Raw) -> None:
        self.names: Mapping[str, str] = {key: name for name, key in raw["entities"].items()}
        self.parts: list[tuple[str, list[str]]] = []
        for text in raw["actions"]:
            call = _CALL.match(text)
            if call is None:
                self.parts = []
                return
            self.parts.append((call[1], [self.names.get(part.strip(), part.strip()) for part in call[2].split(",")]))

    def text(self, place: int) -> str:
        """Return a call as it stands in options."""
        kind, arguments = self.parts[place]
        return f"{kind}({', '.join(arguments)})"

    def before(self, place: int) -> list[str]:
        """Calls before a place; a call that leaves a result names it."""
        lines, results = [], 0
        for i in range(place):
            if self.parts[i][0] in LISTING:
                lines.append(self.text(i))
            else:
                lines.append(f"#{results} = {self.text(i)}")
                results += 1
        return lines

    def results(self, place: int) -> int:
        """Count the results there are before a place."""
        return sum(kind not in LISTING for kind, _ in self.parts[:place])

    def possible(self, place: int) -> list[str]:
        """Every sensible next call after a result, and answering with it."""
        last = self.results(place) - 1
        seen = {arguments[0] for _, arguments in self.parts[:place]}
        found = [f"answer with #{last}", f"count(#{last})", f"get_relations(#{last})", f"get_attributes(#{last})"]
        found += [f"intersection(#{i}, #{last})" for i in range(last)][-1:]
        return found + [f"get_relations({name})" for name in self.names.values() if name not in seen]


def relations_of(raw: Raw) -> list[str]:
    """Relations that a question's calls follow, in order."""
    return [arguments[1] for kind, arguments in Calls(raw).parts if kind == "get_neighbors" and len(arguments) == 2]


def prepare(files: Files) -> Rows:
    """Rows with relations of other questions as distractors."""
    known = sorted({relation for file in FILES for raw in files.read(file.name) for relation in relations_of(raw)})

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        calls = Calls(raw)
        if not raw["entities"] or not calls.parts:
            yield Drop("no entities or readable calls")
            return
        found = [row for row in (next_row(raw, calls), relation_row(raw, calls, known)) if row]
        yield from found
        if not found:
            yield Drop("no decision to ask about")

    return to_rows


def next_row(raw: Raw, calls: Calls) -> Row | None:
    """What to do after a result: follow it, combine it, count it, turn to another entity, or answer."""
    last = len(calls.parts)
    places = [i for i in range(2, last) if calls.parts[i - 1][0] not in LISTING]
    place = last if draw(raw["qid"], "answer") < ANSWERING / 2 or not places else pick(places, raw["qid"], "next")
    gold = calls.text(place) if place < last else f"answer with #{calls.results(last) - 1}"
    possible = calls.possible(place)
    if gold not in possible:
        return None
    question = Choice(dict.fromkeys(shuffled(possible, raw["qid"], "options")))
    return row(raw, calls, place, "action", question, gold)


def relation_row(raw: Raw, calls: Calls, known: list[str]) -> Row | None:
    """Which relation to follow from an entity or a result, among others of its field and one that was followed."""
    places = [i for i, (kind, parts) in enumerate(calls.parts) if kind == "get_neighbors" and len(parts) == 2]
    if not places:
        return None
    place = pick(places, raw["qid"], "relation")
    own, right = set(relations_of(raw)), calls.parts[place][1][1]
    others = shuffled([relation for relation in known if relation not in own], raw["qid"], "wrong")
    near = sorted(others, key=lambda relation: relation.split(".")[0] != right.split(".")[0])[:WRONG]
    done = [parts[1] for kind, parts in calls.parts[:place] if kind == "get_neighbors" and len(parts) == 2]
    near = [*[relation for relation in dict.fromkeys(done) if relation != right][:1], *near][:WRONG]
    if len(near) < 2 or right in done:
        return None
    question = Choice(dict.fromkeys(shuffled([right, *near], raw["qid"], "relations")))
    return row(raw, calls, place, "relation", question, right)


def row(raw: Raw, calls: Calls, place: int, question_id: str, question: Question, gold: str) -> Row:
    """Row about the call at a place."""
    state = {"question": raw["question"], "entities": list(raw["entities"]), "calls": calls.before(place)}
    return Row(
        upstream_id=f"{raw['qid']}-{question_id}",
        capability="state_action",
        language="en",
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="derived",
        split=raw.split,
        mother=raw["qid"],
        group_keys=(f"question:{raw['question'].lower()}", f"path:{' '.join(relations_of(raw))}"),
    )


SOURCES = (
    Source(
        name="agentbench_kg",
        home="https://github.com/THUDM/AgentBench",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("state_action",),
        files=FILES,
        prepare=prepare,
    ),
)
