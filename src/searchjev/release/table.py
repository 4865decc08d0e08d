"""What the steps that look at all rows at once need of each: digests and small codes in arrays, no text.

A row costs about 400 bytes here, so that a million rows fit in memory while their texts stay on disk.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from searchjev.digest import digest
from searchjev.release.item import Item
from searchjev.release.script import texts_of
from searchjev.schema import CAPABILITIES, Answer, ChoiceAnswer, NoulAnswer, Question, State
from searchjev.source import SplitName, Tier

Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.uint8]
Digests: TypeAlias = npt.NDArray[np.uint64]
Flags: TypeAlias = npt.NDArray[np.bool_]

PROTECTION: tuple[SplitName | None, ...] = (None, "train", "val", "test")
"""Splits from the least to the most protected; a row's code is its place."""
TIERS: tuple[Tier, ...] = get_args(Tier)
CAPABILITY = {name: code for code, name in enumerate(CAPABILITIES)}


class Columns(NamedTuple):
    """Rows of one spool file, or of many.

    One entry a row down to `key_count`; one a question from `input` to `label`, one a key in `key`. Question digests:
    `input` is state, template and criteria; `answer` its distribution; `template` is source, capability and question
    id; `label` is the template with the class that the source gives.
    """

    offset: Ints
    size: Ints
    capability: Codes
    protection: Codes
    tier: Codes
    sample: Digests
    mother: Digests
    state: Digests
    question_count: Ints
    key_count: Ints
    input: Digests
    answer: Digests
    template: Digests
    label: Digests
    key: Digests


DTYPES = dict(
    zip(
        Columns._fields,
        [np.int64, np.int64, *[np.uint8] * 3, *[np.uint64] * 3, np.int64, np.int64, *[np.uint64] * 5],
        strict=True,
    )
)


class Observer:
    """Fills columns row by row."""

    def __init__(self) -> None:
        self._lists: dict[str, list[int]] = {name: [] for name in Columns._fields}

    def add(self, item: Item, state: int, place: tuple[int, int]) -> None:
        """Note one row, the digest of its state, and its offset and size in the spool file."""
        row = (
            *place, CAPABILITY[item.capability], PROTECTION.index(item.protection), TIERS.index(item.tier),
            digest(item.sample_id), digest(item.mother), state, len(item.questions), len(item.keys),
        )  # fmt: skip
        for name, value in zip(Columns._fields, row, strict=False):
            self._lists[name].append(value)
        self._lists["key"] += [digest(key) for key in item.keys]
        for name, question in item.questions.items():
            self._question(item, state, name, question)

    def _question(self, item: Item, state: int, name: str, question: Question) -> None:
        answer, lists = item.answers[name], self._lists
        criteria = msgspec.json.encode(question, order="sorted").decode()
        lists["input"].append(digest(item.capability, str(state), name, criteria))
        lists["answer"].append(digest(canonical_answer(answer)))
        lists["template"].append(digest(item.source, item.capability, name))
        lists["label"].append(digest(item.source, item.capability, name, label_of(answer)))

    def columns(self) -> Columns:
        """Return what was noted."""
        return Columns(**{name: np.array(values, DTYPES[name]) for name, values in self._lists.items()})


class Table(NamedTuple):
    """All rows of a build: their columns, the spool file of each, and the row of each question and key."""

    rows: Columns
    spool: Ints
    question_row: Ints
    key_row: Ints

    def __len__(self) -> int:
        return len(self.spool)

    @property
    def question_begin(self) -> Ints:
        """Place of each row's first question, and behind the last row the number of questions."""
        return begins(self.rows.question_count)


def join(parts: Sequence[Columns]) -> Table:
    """Table of the columns of several spool files, in their order."""
    columns = Columns(*(np.concatenate(values) for values in zip(*parts, strict=True)))
    numbers = np.arange(len(columns.offset))
    return Table(
        columns,
        np.repeat(np.arange(len(parts)), [len(part.offset) for part in parts]),
        np.repeat(numbers, columns.question_count),
        np.repeat(numbers, columns.key_count),
    )


def begins(counts: Ints) -> Ints:
    """Running totals from 0: where each ragged row begins, and the whole length at the end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def mixed(values: Digests, salt: str) -> Digests:
    """Digests of digests (splitmix64's finaliser), for orders that one salt has nothing to do with another's."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(digest(salt))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def state_digest(state: State) -> int:
    """Digest of a state, blind to the order of its names."""
    return digest(msgspec.json.encode(state, order="sorted").decode())


def state_text(state: State) -> str:
    """Text of a state, by which near duplicates are found."""
    return "\n".join(texts_of(state))


def canonical_answer(answer: Answer) -> str:
    """Text equal for equal distributions: of tied options, the first named one is no difference."""
    distribution = answer.probabilities if isinstance(answer, ChoiceAnswer) else answer.distribution
    return msgspec.json.encode(distribution, order="sorted").decode()


def label_of(answer: Answer) -> str:
    """Label under which an answer's class is counted."""
    if isinstance(answer, NoulAnswer):
        return str(answer.noul >= 0.5)
    return answer.choice if isinstance(answer, ChoiceAnswer) else str(round(answer.score))
