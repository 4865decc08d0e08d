"""What is evaluated: one question with its state, its wanted distribution, and what slices it belongs to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from searchjev.digest import digest
from searchjev.errors import ArtifactError, DataError
from searchjev.release.files import IndexRow, Line
from searchjev.release.reader import read_lines, read_pairs
from searchjev.schema import Question, State, question_type

T = TypeVar("T")


class Case(NamedTuple):
    """One evaluated question."""

    state: State
    name: str
    question: Question
    wanted: list[float]
    row: IndexRow

    @property
    def kind(self) -> str:
        """noul, choice or score."""
        return question_type(self.question)

    @property
    def is_held_out(self) -> bool:
        """Whether the source was never trained on."""
        return self.row.eval_track == "held_out"

    @property
    def gold(self) -> int:
        """Place of the likeliest wanted outcome."""
        return self.wanted.index(max(self.wanted))


class RowKey(msgspec.Struct, frozen=True):
    """The part of an index row that says what the row is and whom it belongs to."""

    sample_id: str
    source: str
    capability: str
    canonical_group: str
    evaluation_eligible: dict[str, bool] | bool
    loss_weight: dict[str, float]

    @property
    def eligible(self) -> list[str]:
        """Names of the questions that are evaluated; one value may stand for all that have a weight."""
        if isinstance(self.evaluation_eligible, bool):
            return list(self.loss_weight) if self.evaluation_eligible else []
        return [name for name, on in self.evaluation_eligible.items() if on]


class _Place(NamedTuple):
    """Where a question stands in a split, without its text."""

    line: int
    sample_id: str
    name: str
    cell: tuple[str, str]


def group_digest(case: Case) -> str:
    """Digest of a case's canonical group, as `Calibration.groups` holds it."""
    return f"{digest(case.row.canonical_group):016x}"


def read_cases(release: Path, split: str, limit: int | None = None) -> list[Case]:
    """Eligible questions of a split; with a limit, a balanced choice over sources that digests fix.

    A sample that stands twice is a DataError: it would count twice in every figure.
    """
    places = _places(release, split)
    if limit is None or len(places) <= limit:
        return [case for line in read_lines(release, split) for case in cases_of(line)]
    chosen = _in_turns(places, limit, key=lambda p: (p.sample_id, p.name), cell=lambda p: p.cell)
    return _read_places(release, split, chosen)


def read_keys(release: Path, split: str) -> Iterator[RowKey]:
    """Keys of a split's rows, line by line, from the index alone."""
    path, decoder = release / f"{split}_index.jsonl", msgspec.json.Decoder(RowKey)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise ArtifactError(f"{path.name}, line {number}: {error}; build the release again") from None
    except FileNotFoundError:
        raise ArtifactError(f"{path}: missing; run 'searchjev build'") from None


def balanced(cases: Iterable[Case], limit: int) -> list[Case]:
    """At most `limit` cases, taken in turns over (source, capability)."""
    return _in_turns(
        list(cases),
        limit,
        key=lambda case: (case.row.sample_id, case.name),
        cell=lambda case: (case.row.source, case.row.capability),
    )


def cases_of(line: Line) -> list[Case]:
    """Eligible questions of one row."""
    sample, row = line.sample, line.row
    return [
        Case(sample.state, name, question, sample.answers[name].distribution, row)
        for name, question in sample.questions.items()
        if row.evaluation_eligible[name]
    ]


def _in_turns(
    items: Sequence[T], limit: int, *, key: Callable[[T], tuple[str, str]], cell: Callable[[T], tuple[str, str]]
) -> list[T]:
    cells: dict[tuple[str, str], list[T]] = defaultdict(list)
    for item in sorted(items, key=lambda item: digest("case", *key(item))):
        cells[cell(item)].append(item)
    queues = [cells[name][::-1] for name in sorted(cells)]
    chosen: list[T] = []
    while len(chosen) < limit and any(queues):
        chosen += [queue.pop() for queue in queues if queue][: limit - len(chosen)]
    return chosen


def _places(release: Path, split: str) -> list[_Place]:
    seen: set[str] = set()
    places = []
    for number, key in enumerate(read_keys(release, split)):
        if key.sample_id in seen:
            raise DataError(f"{split}_index.jsonl, line {number + 1}: {key.sample_id} stands twice; build it again")
        seen.add(key.sample_id)
        cell = key.source, key.capability
        places += [_Place(number, key.sample_id, name, cell) for name in key.eligible]
    return places


def _read_places(release: Path, split: str, places: Sequence[_Place]) -> list[Case]:
    """Cases at the places, in their order; only their lines are decoded."""
    wanted = {place.line for place in places}
    pairs = read_pairs(release, split, wanted.__contains__)
    found = {(number, case.name): case for number, line in pairs for case in cases_of(line)}
    return [found[place.line, place.name] for place in places]
