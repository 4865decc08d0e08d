"""What costs nothing: the majority answer of the training rows, and word overlap. A model must clear both.

Majority is counted in train per capability and question template by option name (noul: true or false; score: place of
the level among its levels), over all sources, so that it can be asked about sources never seen. Overlap compares words
(and Chinese character pairs) of the query part with the other parts (noul, score) or with each option (choice).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from searchjev.evaluate.cases import Case
from searchjev.prompt import option_texts, state_parts
from searchjev.schema import Noul, Score

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
Key = tuple[str, str, str]


class Majority:
    """Class frequencies of training cases."""

    def __init__(self, train: Iterable[Case]) -> None:
        self._counts: dict[Key, Counter[str]] = defaultdict(Counter)
        for case in train:
            self._counts[self._key(case)][_outcomes(case)[case.gold]] += 1

    def predict(self, case: Case) -> list[float]:
        """Smoothed frequencies of the outcomes; uniform for open options that training never named."""
        counts, outcomes = self._counts[self._key(case)], _outcomes(case)
        weights = [counts[outcome] + 1e-3 for outcome in outcomes]
        total = sum(weights)
        return [weight / total for weight in weights]

    def _key(self, case: Case) -> Key:
        return case.row.capability, case.name, case.kind


class Overlap:
    """Word overlap as a score; noul by a threshold, score by quantiles, both fitted on training cases."""

    def __init__(self, train: Sequence[Case]) -> None:
        cells: dict[Key, list[tuple[float, Case]]] = defaultdict(list)
        for case in train:
            if not isinstance(case.question, Noul | Score):
                continue
            cells[self._key(case)].append((_state_overlap(case), case))
        self._cuts = {key: _fit_cut(pairs) for key, pairs in cells.items() if pairs[0][1].kind == "noul"}
        self._levels = {key: _fit_levels(pairs) for key, pairs in cells.items() if pairs[0][1].kind == "score"}

    def predict(self, case: Case) -> list[float]:
        """One-hot answer, or a uniform one where overlap says nothing."""
        outcomes = len(case.wanted)
        if isinstance(case.question, Noul):
            cut, above = self._cuts.get(self._key(case), (0.5, True))
            is_true = (_state_overlap(case) >= cut) == above
            return [float(is_true), float(not is_true)]
        if isinstance(case.question, Score):
            cuts = self._levels.get(self._key(case))
            if cuts is None or len(cuts) != outcomes - 1:
                return [1 / outcomes] * outcomes
            level = int(np.searchsorted(cuts, _state_overlap(case), side="right"))
            return [float(i == level) for i in range(outcomes)]
        return _choice_overlap(case)

    def _key(self, case: Case) -> Key:
        return case.row.capability, case.name, f"{case.kind} {len(case.wanted)}"


def words(text: str) -> set[str]:
    """Lower-case words; Chinese as characters and pairs of neighbours."""
    found = _WORD.findall(text.lower())
    pairs = {a + b for a, b in zip(found, found[1:], strict=False) if "\u4e00" <= a[0] and "\u4e00" <= b[0]}
    return set(found) | pairs


def _state_overlap(case: Case) -> float:
    parts = [words(part) for part in state_parts(case.state)]
    query = parts[0] if parts else set()
    rest = set().union(*parts[1:])
    if not rest or not query:
        return 0.0
    return len(query & rest) / min(len(query), len(rest))


def _choice_overlap(case: Case) -> list[float]:
    parts = [words(part) for part in state_parts(case.state)]
    query = parts[0] if parts else set()
    scores = [len(query & w) / (len(w) or 1) ** 0.5 for w in map(words, option_texts(case.question))]
    best = max(scores)
    tied = [score == best for score in scores]
    return [float(t) / sum(tied) for t in tied]


def _fit_cut(pairs: list[tuple[float, Case]]) -> tuple[float, bool]:
    """Threshold and direction with the most hits."""
    values = np.array([value for value, _ in pairs])
    gold = np.array([case.gold == 0 for _, case in pairs])
    best, found = -1.0, (0.5, True)
    for cut in np.unique(np.quantile(values, np.linspace(0, 1, 41))):
        share = float(((values >= cut) == gold).mean())
        for rate, above in ((share, True), (1 - share, False)):
            if rate > best:
                best, found = rate, (float(cut), above)
    return found


def _fit_levels(pairs: list[tuple[float, Case]]) -> list[float]:
    """Cuts that give each level its share of the training cases, overlap rising with the level."""
    levels = len(pairs[0][1].wanted)
    same = [(value, case.gold) for value, case in pairs if len(case.wanted) == levels]
    shares = np.cumsum(np.bincount([gold for _, gold in same], minlength=levels)) / len(same)
    return [float(cut) for cut in np.quantile([value for value, _ in same], shares[:-1])]


def _outcomes(case: Case) -> list[str]:
    if isinstance(case.question, Noul):
        return ["true", "false"]
    if isinstance(case.question, Score):
        return [f"{i}/{len(case.wanted)}" for i in range(len(case.wanted))]
    return list(case.question.criteria)
