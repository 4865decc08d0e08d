"""The model-selection and calibration sets: val rows, one a group, dealt so that the two share no group."""

from collections import defaultdict
from typing import NamedTuple

from searchjev.digest import digest
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item

DEAL = "SSCSSCS"
"""Turns of selection and calibration: five to two, the proportion of their usual sizes."""


class Subsets(NamedTuple):
    """Rows for choosing checkpoints, and rows for fitting probabilities."""

    selection: list[Item]
    calibration: list[Item]


def subsets(items: list[Item], config: ReleaseConfig) -> Subsets:
    """Draw both in rounds over (source, capability), the rarest first, so that every one is covered before any repeats.

    A group is used once, by one of the two. Before the rounds, selection gets a row of every capability and source.
    """
    val = [item for item in items if item.split == "val"]
    used: set[str] = set()
    selection = _one_of_each(val, used)[: config.selection_rows]
    calibration: list[Item] = []
    queues = _queues(val)
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
    return Subsets(_ordered(selection), _ordered(calibration))


def _one_of_each(items: list[Item], used: set[str]) -> list[Item]:
    """A row of every capability, then of every source not met yet; those with the fewest groups choose first."""
    cells: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: digest("turn", item.sample_id)):
        cells[f"0 {item.row.capability}"].append(item)
        cells[f"1 {item.source}"].append(item)
    chosen: list[Item] = []
    met: set[str] = set()
    for name in sorted(cells, key=lambda name: (name[0], len({item.group for item in cells[name]}), name)):
        if name not in met and (found := next((item for item in cells[name] if item.group not in used), None)):
            used.add(found.group)
            chosen.append(found)
            met |= {f"0 {found.row.capability}", f"1 {found.source}"}
    return chosen


def _queues(items: list[Item]) -> list[list[Item]]:
    cells: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: digest("turn", item.sample_id), reverse=True):
        cells[item.source, item.row.capability].append(item)
    return [cells[key] for key in sorted(cells, key=lambda key: (len(cells[key]), key))]


def _next(queue: list[Item], used: set[str]) -> list[Item]:
    while queue:
        item = queue.pop()
        if item.group not in used:
            used.add(item.group)
            return [item]
    return []


def _ordered(items: list[Item]) -> list[Item]:
    return sorted(items, key=lambda item: digest("line", item.sample_id))
