"""Step 8: whole groups to test, val or train; the best protected row decides, a free group goes by its digest."""

import numpy as np

from searchjev.digest import draw
from searchjev.release.table import PROTECTION, Codes, Digests, Flags, Table

STEP = "split"
TRAIN, VAL = 0.60, 0.17


def split(table: Table, group: Digests, alive: Flags) -> Codes:
    """Split of each row, as its place in PROTECTION; rows that are not alive protect nothing."""
    names, member = np.unique(group, return_inverse=True)
    best = np.zeros(len(names), np.uint8)
    np.maximum.at(best, member[alive], table.rows.protection[alive])
    for place in np.flatnonzero(best == 0):
        best[place] = PROTECTION.index(_drawn(group_name(names[place])))
    return best[member]


def group_name(group: int) -> str:
    """Name of a group as the index rows spell it."""
    return f"{group:016x}"


def _drawn(group: str) -> str:
    place = draw("split", group)
    return "train" if place < TRAIN else "val" if place < TRAIN + VAL else "test"
