"""Step 7: rows that share a key belong to one group.

A key that ties more than a set share of the rows (an empty passage, a list of classes) is no mother: it is cut, and
reported.
"""

from typing import NamedTuple

import numpy as np

from searchjev.release.config import ReleaseConfig
from searchjev.release.table import Digests, Ints, Table, mixed

STEP = "groups"
LEAST_CUT = 50
"""Rows that any key may tie, however small the release."""


class Groups(NamedTuple):
    """Group of each row, and the keys cut, with the rows that each would have tied."""

    group: Digests
    cut: dict[int, int]


def groups(table: Table, pairs: Ints, config: ReleaseConfig) -> Groups:
    """Groups of all rows, those that left included; `pairs` are rows that belong together, one pair a line."""
    keys, member, uses = np.unique(table.rows.key, return_inverse=True, return_counts=True)
    is_cut = uses > max(LEAST_CUT, int(config.max_key_share * len(table)))
    ties = ~is_cut[member]
    own = mixed(table.rows.sample, "own key")
    group = components(len(table), table.key_row[ties], member[ties], pairs)
    # named by the smallest digest among the samples of the group, so that the order of rows can't change it
    names = np.full(len(table), np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(names, group, own)
    return Groups(names[group], {int(keys[i]): int(uses[i]) for i in np.flatnonzero(is_cut)})


def components(rows: int, row: Ints, key: Ints, pairs: Ints) -> Ints:
    """Component of each of so many rows, as its smallest row; edges are (row, key) and pairs of rows.

    Every round gives each row the smallest label among its neighbours' and then follows labels to their own labels,
    so that the rounds grow with the logarithm of the longest chain.
    """
    label = np.arange(rows)
    keys = int(key.max(initial=-1)) + 1
    a, b = pairs[:, 0], pairs[:, 1]
    while True:
        smallest = np.full(keys, rows)
        np.minimum.at(smallest, key, label[row])
        new = label.copy()
        # whole trees move: the root takes the smaller label, not the row alone
        np.minimum.at(new, label[row], smallest[key])
        np.minimum.at(new, label[a], label[b])
        np.minimum.at(new, label[b], label[a])
        while not np.array_equal(jumped := new[new], new):
            new = jumped
        if np.array_equal(new, label):
            return label
        label = new
