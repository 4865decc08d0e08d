"""Step 8: whole groups to test, val or train; the best protected row decides, a free group goes by its digest."""

from searchjev.digest import draw
from searchjev.release.item import Item, Ledger
from searchjev.release.steps.duplicates import PROTECTION
from searchjev.source import SplitName

STEP = "split"
TRAIN, VAL = 0.60, 0.17


def split(items: list[Item], ledger: Ledger) -> list[Item]:
    """Set each item's split."""
    best: dict[str, SplitName | None] = {}
    for item in items:
        own = item.held_out or item.row.split
        if PROTECTION[own] > PROTECTION[best.get(item.group)]:
            best[item.group] = own
    for item in items:
        item.split = best.get(item.group) or _drawn(item.group)
    ledger.passed(STEP, len(items), len(items))
    return items


def _drawn(group: str) -> SplitName:
    place = draw("split", group)
    return "train" if place < TRAIN else "val" if place < TRAIN + VAL else "test"
