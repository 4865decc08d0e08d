"""Claims about many lines at once: groups, keys and inputs in one split only, held-out sources, exact duplicates."""

from collections import defaultdict

from searchjev.digest import digest
from searchjev.release.files import Line
from searchjev.release.verify.claim import Check, Claim, Place
from searchjev.release.verify.rows import canonical_bytes
from searchjev.source import Source


class _OneSplit(Check):
    """Whatever `keys` names stands in one split only."""

    def __init__(self) -> None:
        super().__init__()
        self.split_of: dict[int, str] = {}

    def put(self, key: str, at: Place, where: str) -> None:
        """See one key in a split."""
        self.expect(self.split_of.setdefault(digest(key), at.split) == at.split, where)


class GroupSplits(_OneSplit):
    """No group stands in two splits."""

    name, stated = "groups", "no group in two splits"

    def see(self, at: Place, line: Line) -> None:
        """Note the group's split."""
        self.put(line.row.canonical_group, at, at.in_index("canonical_group"))


class KeySplits(_OneSplit):
    """No key that ties rows stands in two splits, nor in two groups."""

    name, stated = "group keys", "no key in two splits or groups"

    def __init__(self) -> None:
        super().__init__()
        self.group_of: dict[int, str] = {}

    def see(self, at: Place, line: Line) -> None:
        """Note the split and the group of each key."""
        group = line.row.canonical_group
        for key in line.row.group_keys:
            self.put(key, at, at.in_index("group_keys"))
            if self.group_of.setdefault(digest(key), group) != group:
                self.fail(at.in_index("group_keys"))


class Duplicates(Check):
    """No question is asked twice of the same state in the same words, whatever the order of options."""

    name, stated = "exact duplicates", "no input twice"

    def __init__(self) -> None:
        super().__init__()
        self.inputs: set[int] = set()

    def see(self, at: Place, line: Line) -> None:
        """Note the input of each question."""
        state = canonical_bytes(line.sample.state).decode()
        for name, question in line.sample.questions.items():
            key = digest(state, canonical_bytes(question).decode())
            self.expect(key not in self.inputs, at.in_data(f"questions.{name}"))
            self.inputs.add(key)


class StateSplits(_OneSplit):
    """No state stands in two splits."""

    name, stated = "states", "no state in two splits"

    def __init__(self, cut: set[str]) -> None:
        super().__init__()
        self.cut = cut

    def see(self, at: Place, line: Line) -> None:
        """Note the state's split, unless its key was cut as tying too much."""
        key = f"state:{digest(canonical_bytes(line.sample.state).decode()):016x}"
        if key not in self.cut:
            self.put(key, at, at.in_data("state"))


class HeldOut(Check):
    """Sources declared held out keep away from training, and every row's track says whether its source trains."""

    name, stated = "held-out sources", "never in train; track says so"

    def __init__(self, sources: dict[str, Source]) -> None:
        super().__init__()
        self.sources = sources
        self.splits: dict[str, set[str]] = defaultdict(set)
        self.tracks: dict[tuple[str, str], str] = {}

    def see(self, at: Place, line: Line) -> None:
        """Note the source's split and track."""
        row = line.row
        self.splits[row.source].add(at.split)
        self.tracks.setdefault((row.source, row.eval_track), at.in_index("eval_track"))
        source = self.sources.get(row.source)
        allowed = (
            source is None or {None: True, "val": at.split != "train", "test": at.split == "test"}[source.held_out]
        )
        self.expect(allowed, at.in_index("source"))

    def claims(self) -> list[Claim]:
        """Return the claim, tracks compared with the splits seen."""
        for (source, track), where in self.tracks.items():
            if track != ("in_distribution" if "train" in self.splits[source] else "held_out"):
                self.fail(where)
        return list(super().claims())
