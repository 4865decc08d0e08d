"""What is evaluated: one question with its state, its wanted distribution, and what slices it belongs to."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from searchjev.digest import digest
from searchjev.release.files import IndexRow, Line, read_lines
from searchjev.schema import Question, State, question_type


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


def read_cases(release: Path, split: str, limit: int | None = None) -> list[Case]:
    """Eligible questions of a split; with a limit, a balanced choice over sources that digests fix."""
    cases = [case for line in read_lines(release, split) for case in _cases(line)]
    return cases if limit is None or len(cases) <= limit else balanced(cases, limit)


def balanced(cases: Iterable[Case], limit: int) -> list[Case]:
    """At most `limit` cases, taken in turns over (source, capability)."""
    cells: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: digest("case", case.row.sample_id, case.name)):
        cells[case.row.source, case.row.capability].append(case)
    queues = [cells[key][::-1] for key in sorted(cells)]
    chosen: list[Case] = []
    while len(chosen) < limit and any(queues):
        chosen += [queue.pop() for queue in queues if queue][: limit - len(chosen)]
    return chosen


def _cases(line: Line) -> list[Case]:
    sample, row = line.sample, line.row
    return [
        Case(sample.state, name, question, sample.answers[name].distribution, row)
        for name, question in sample.questions.items()
        if row.evaluation_eligible[name]
    ]
