"""Steps 4 and 5: one row an input. Equal answers: the best protected stays; different ones: all leave, as conflicts.

An input is a state and one question before its wording. What leaves still ties its keys together, so that its
neighbours stay in one group.
"""

from collections import defaultdict
from typing import NamedTuple

import msgspec

from searchjev.digest import digest
from searchjev.release.item import Item, Ledger
from searchjev.schema import Answer, ChoiceAnswer, Question, State

STEP = "duplicates"
SAME, OTHER = "same input and answer", "same input with another answer"
PROTECTION = {"test": 3, "val": 2, "train": 1, None: 0}


class Unique(NamedTuple):
    """Items with unique inputs, and keys that belong together because of rows that left."""

    items: list[Item]
    ties: list[list[str]]


def drop_duplicates(items: list[Item], ledger: Ledger) -> Unique:
    """Items without repeated or contradictory questions; one without a question left is gone."""
    by_input: dict[int, list[tuple[Item, str]]] = defaultdict(list)
    for item in items:
        state = state_digest(item.state)
        # rows about one state belong together whatever they ask
        item.keys = [*item.keys, f"state:{state:016x}"]
        for name, question in item.questions.items():
            by_input[_input_digest(item.row.capability, state, name, question)].append((item, name))
    for same in by_input.values():
        if len(same) > 1:
            _settle(same, ledger)
    kept = [item for item in items if item.questions]
    ledger.passed(STEP, len(items), len(kept))
    return Unique(kept, [item.keys for item in items if not item.questions])


def state_digest(state: State) -> int:
    """Digest of a state, blind to the order of its names."""
    return digest(msgspec.json.encode(state, order="sorted").decode())


def _settle(same: list[tuple[Item, str]], ledger: Ledger) -> None:
    if len({_canonical(item.answers[name]) for item, name in same}) > 1:
        for item, name in same:
            _leave(item, name, OTHER, ledger)
        return
    stays = max(same, key=lambda one: (PROTECTION[one[0].held_out or one[0].row.split], -digest(one[0].sample_id)))
    for item, name in same:
        if item is not stays[0]:
            _leave(item, name, SAME, ledger)


def _leave(item: Item, name: str, reason: str, ledger: Ledger) -> None:
    ledger.drop(item.source, f"{item.sample_id}#{name}", STEP, reason)
    item.questions = {n: question for n, question in item.questions.items() if n != name}
    item.answers = {n: answer for n, answer in item.answers.items() if n != name}


def _input_digest(capability: str, state: int, name: str, question: Question) -> int:
    return digest(capability, str(state), name, msgspec.json.encode(question, order="sorted").decode())


def _canonical(answer: Answer) -> bytes:
    """Bytes equal for equal distributions: of tied options, the first named one is no difference."""
    distribution = answer.probabilities if isinstance(answer, ChoiceAnswer) else answer.distribution
    return msgspec.json.encode(distribution, order="sorted")
