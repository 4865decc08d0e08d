"""The model-selection and calibration sets: val rows, one a group, dealt so that the two share no group."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from searchjev.release.config import ReleaseConfig

DEAL = "SSCSSCS"
"""Turns of selection and calibration: five to two, the proportion of their usual sizes."""


class Candidate(NamedTuple):
    """A val row: its place in the order of turns, its number, and what the sets must cover."""

    turn: int
    row: int
    source: int
    capability: int
    group: int


class Subsets(NamedTuple):
    """Rows for choosing checkpoints, and rows for fitting probabilities."""

    selection: list[int]
    calibration: list[int]


def subsets(val: Iterable[Candidate], config: ReleaseConfig) -> Subsets:
    """Draw both in rounds over (source, capability), the rarest first, so that every one is covered before any repeats.

    A group is used once, by one of the two. Before the rounds, selection gets a row of every capability and source.
    """
    candidates = sorted(val)
    used: set[int] = set()
    selection = _one_of_each(candidates, used)[: config.selection_rows]
    calibration: list[int] = []
    queues = _queues(candidates)
    turn = 0
    while any(queues):
        is_calibration = DEAL[turn % len(DEAL)] == "C"
        turn += 1
        chosen, most = (calibration, config.calibration_rows) if is_calibration else (selection, config.selection_rows)
        if len(selection) >= config.selection_rows and len(calibration) >= config.calibration_rows:
            break
        for queue in queues:
            if len(chosen) < most:
                chosen += _next(queue, used)
    return Subsets(selection, calibration)


def _one_of_each(candidates: list[Candidate], used: set[int]) -> list[int]:
    """A row of every capability, then of every source not met yet; those with the fewest groups choose first."""
    cells: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        cells[0, candidate.capability].append(candidate)
        cells[1, candidate.source].append(candidate)
    chosen: list[int] = []
    met: set[tuple[int, int]] = set()
    for cell in sorted(cells, key=lambda cell: (cell[0], len({one.group for one in cells[cell]}), cell)):
        if cell not in met and (found := next((one for one in cells[cell] if one.group not in used), None)):
            used.add(found.group)
            chosen.append(found.row)
            met |= {(0, found.capability), (1, found.source)}
    return chosen


def _queues(candidates: list[Candidate]) -> list[list[Candidate]]:
    cells: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
    for candidate in reversed(candidates):
        cells[candidate.source, candidate.capability].append(candidate)
    return [cells[key] for key in sorted(cells, key=lambda key: (len(cells[key]), key))]


def _next(queue: list[Candidate], used: set[int]) -> list[int]:
    while queue:
        candidate = queue.pop()
        if candidate.group not in used:
            used.add(candidate.group)
            return [candidate.row]
    return []
