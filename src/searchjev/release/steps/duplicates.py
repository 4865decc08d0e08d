"""Steps 4 and 5: one row an input. Equal answers: the best protected stays; different ones: all leave, as conflicts."""

from collections import defaultdict

import msgspec

from searchjev.digest import digest
from searchjev.release.item import Item, Ledger

STEP = "duplicates"
PROTECTION = {"test": 3, "val": 2, "train": 1, None: 0}


def drop_duplicates(items: list[Item], ledger: Ledger) -> list[Item]:
    """Items with unique input; what leaves lends its group keys to what stays."""
    by_input: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_input[input_digest(item)].append(item)
    kept = []
    for same in by_input.values():
        if len({msgspec.json.encode(item.answers, order="sorted") for item in same}) > 1:
            for item in same:
                ledger.drop(item.source, item.sample_id, STEP, "same input with another answer")
            continue
        stays = max(same, key=lambda item: (PROTECTION[item.held_out or item.row.split], -digest(item.sample_id)))
        for item in same:
            if item is not stays:
                stays.keys += [key for key in item.keys if key not in stays.keys]
                ledger.drop(item.source, item.sample_id, STEP, "same input and answer")
        kept.append(stays)
    ledger.passed(STEP, len(items), len(kept))
    return kept


def input_digest(item: Item) -> int:
    """Digest of state and questions before wording, blind to the order of keys and options."""
    return digest(msgspec.json.encode((item.row.capability, item.state, item.questions), order="sorted").decode())
