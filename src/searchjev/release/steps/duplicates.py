"""Steps 4 and 5: one row an input. Equal answers: the best protected stays; different ones: all leave, as conflicts.

An input is a state and one question before its wording. What leaves still ties its keys together, so that its
neighbours stay in one group.
"""

import numpy as np

from searchjev.release.item import Ledger
from searchjev.release.table import Codes, Flags, Ints, Table

STEP = "duplicates"
SAME, OTHER = 1, 2
REASONS = {SAME: "same input and answer", OTHER: "same input with another answer"}


def duplicates(table: Table, ledger: Ledger) -> Codes:
    """Verdict on each question: 0 stays, else a key of REASONS."""
    rows, asks = table.rows, table.question_row
    # of equal inputs the best protected comes first, then the one of the smallest digest
    order = np.lexsort((rows.sample[asks], -rows.protection[asks].astype(np.int64), rows.input))
    inputs, answers = rows.input[order], rows.answer[order]
    first = np.ones(len(order), bool)
    first[1:] = inputs[1:] != inputs[:-1]
    segment = np.cumsum(first) - 1
    differs = answers != answers[first][segment]
    contradicted = np.bincount(segment, weights=differs)[segment] > 0 if len(order) else differs
    verdict = np.zeros(len(order), np.uint8)
    verdict[order] = np.where(contradicted, OTHER, np.where(first, 0, SAME))
    ledger.passed(STEP, len(table), int(alive(table, verdict == 0).sum()))
    return verdict


def alive(table: Table, stays: Flags) -> Flags:
    """Rows with a question that stays."""
    left: Ints = np.bincount(table.question_row[stays], minlength=len(table))
    return left > 0
