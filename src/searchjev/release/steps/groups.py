"""Step 7: rows that share a key belong to one group, found by union-find over all keys.

A key that ties more than a set share of the rows (an empty passage, a list of classes) is no mother: it is cut, and
reported.
"""

from collections import Counter

from searchjev.digest import digest
from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger

STEP = "groups"


def group(items: list[Item], ties: list[list[str]], config: ReleaseConfig, ledger: Ledger) -> list[Item]:
    """Set each item's group: a digest of its component's smallest key. `ties` are keys of rows that left."""
    uses = Counter(key for item in items for key in item.keys)
    most = max(50, int(config.max_key_share * len(items)))
    cut = {key for key, count in uses.items() if count > most}
    for item in items:
        item.keys = [key for key in item.keys if key not in cut] or [f"sample:{item.sample_id}"]
    parent: dict[str, str] = {}
    for keys in [*(item.keys for item in items), *([key for key in tie if key not in cut] for tie in ties)]:
        for key in keys:
            _join(parent, keys[0], key)
    for item in items:
        item.group = f"{digest(_root(parent, item.keys[0])):016x}"
    ledger.notes["cut_keys"] = {key: uses[key] for key in sorted(cut)}
    ledger.passed(STEP, len(items), len(items))
    return items


def _root(parent: dict[str, str], key: str) -> str:
    parent.setdefault(key, key)
    while parent[key] != key:
        parent[key] = parent[parent[key]]
        key = parent[key]
    return key


def _join(parent: dict[str, str], first: str, second: str) -> None:
    a, b = _root(parent, first), _root(parent, second)
    # the smaller key leads, so that the order of rows can't change a group's name
    parent[max(a, b)] = min(a, b)
