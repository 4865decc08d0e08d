"""Step 6: rows whose states nearly repeat one another are tied together, so that no split sees another's state.

Reading signs each distinct state of a source once; candidates are verified on the texts, which lie on disk.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searchjev.release.item import Item, Ledger
from searchjev.release.near import HASHES, Shingles, Signatures, pairs, shingles, signatures
from searchjev.release.spool import SpoolReader
from searchjev.release.table import Ints, Table, begins, state_text
from searchjev.schema import State

STEP = "near duplicates"
_LETTERS = 1 << 20


class Signed(NamedTuple):
    """Signatures of distinct states, and the row in which each stands first."""

    row: Ints
    values: Signatures


class Signer:
    """Signs states as they come, many at a time; a state seen before is not signed again."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._seen: set[int] = set()
        self._texts: list[str] = []
        self._waiting = 0
        self._blocks: list[Signatures] = [np.zeros((0, HASHES), np.uint32)]

    def add(self, row: int, digest: int, state: State) -> None:
        """Note the state of one row, by its digest."""
        if digest in self._seen:
            return
        self._seen.add(digest)
        self._rows.append(row)
        self._texts.append(state_text(state))
        self._waiting += len(self._texts[-1])
        if self._waiting > _LETTERS:
            self._sign()

    def signed(self) -> Signed:
        """Return the signatures of all states."""
        self._sign()
        return Signed(np.array(self._rows, np.int64), np.concatenate(self._blocks))

    def _sign(self) -> None:
        self._blocks.append(signatures(self._texts))
        self._texts, self._waiting = [], 0


def near_duplicates(table: Table, signed: Sequence[Signed], spools: Sequence[str], ledger: Ledger) -> Ints:
    """Pairs of rows that join every cluster of near duplicates, one pair a line; signatures and spools by source."""
    first_rows = begins(np.bincount(table.spool, minlength=len(spools)))
    rows = np.concatenate([part.row + first for part, first in zip(signed, first_rows[:-1], strict=True)])
    reader = SpoolReader([Path(path) for path in spools], Item)

    def shingles_of(place: int) -> Shingles:
        row = rows[place]
        item = reader.get(int(table.spool[row]), int(table.rows.offset[row]), int(table.rows.size[row]))
        return shingles(state_text(item.state))

    found = pairs(np.concatenate([part.values for part in signed]), shingles_of)
    reader.close()
    ledger.notes["near_duplicates"] = {"states": len(rows), "pairs": len(found.pairs), "crowded": found.crowded}
    return rows[np.array([pair[:2] for pair in found.pairs], np.int64).reshape(-1, 2)]
