"""The model-selection and calibration sets: val rows, one a group for selection, groups of the two disjoint."""

from collections import defaultdict
from typing import NamedTuple

from searchjev.digest import digest
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item


class Subsets(NamedTuple):
    """Rows for choosing checkpoints, and rows for fitting probabilities."""

    selection: list[Item]
    calibration: list[Item]


def subsets(items: list[Item], config: ReleaseConfig) -> Subsets:
    """Draw both in turns over (source, capability), so that every one present is covered before any is repeated.

    Groups go to one side or the other by digest: two thirds may be used for selection, one third for calibration.
    """
    val = [item for item in items if item.split == "val"]
    for_selection = [item for item in val if digest("subset", item.group) % 3]
    for_calibration = [item for item in val if digest("subset", item.group) % 3 == 0]
    return Subsets(
        _in_turns(for_selection, config.selection_rows, one_a_group=True),
        _in_turns(for_calibration, config.calibration_rows, one_a_group=False),
    )


def _in_turns(items: list[Item], most: int, *, one_a_group: bool) -> list[Item]:
    cells: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: digest("turn", item.sample_id)):
        cells[item.source, item.row.capability].append(item)
    queues = [cells[key][::-1] for key in sorted(cells)]
    chosen: list[Item] = []
    used: set[str] = set()
    while len(chosen) < most and any(queues):
        for queue in queues:
            while queue:
                item = queue.pop()
                if one_a_group and item.group in used:
                    continue
                used.add(item.group)
                chosen.append(item)
                break
            if len(chosen) == most:
                break
    return sorted(chosen, key=lambda item: item.sample_id)
