"""What costs nothing: the majority answer of the training rows, and word overlap. A model must clear both.

Majority is counted in train per capability and question template by option name (noul: true or false; score: place of
the level among its levels), over all sources, so that it can be asked about sources never seen. Overlap compares words
(and Chinese character pairs) of the query part with the other parts (noul, score) or with each option (choice). Both
take the wording's own training cases where there are enough, since wordings may ask for the opposite; else the question
name's, else the capability's.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from searchjev.evaluate.cases import Case
from searchjev.prompt import option_texts, question_text, state_parts
from searchjev.schema import Choice, Noul, Score

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
Key = tuple[str, ...]
T = TypeVar("T")

ENOUGH = 30
"""Training cases that a finer template needs to be asked before a coarser one."""


class Majority:
    """Class frequencies of training cases."""

    def __init__(self, train: Iterable[Case]) -> None:
        self._counts: dict[Key, Counter[str]] = defaultdict(Counter)
        for case in train:
            for key in _templates(case):
                self._counts[key][_outcomes(case)[case.gold]] += 1

    def predict(self, case: Case) -> list[float]:
        """Smoothed frequencies of the outcomes; uniform for open options that training never named."""
        sizes = {key: self._counts[key].total() for key in _templates(case) if key in self._counts}
        counts = _finest(self._counts, sizes, case) or Counter()
        weights = [counts[outcome] + 1e-3 for outcome in _outcomes(case)]
        total = sum(weights)
        return [weight / total for weight in weights]


class Overlap:
    """Word overlap as a score; noul by a threshold, score by quantiles, both fitted on training cases."""

    def __init__(self, train: Sequence[Case]) -> None:
        cells: dict[Key, list[tuple[float, int]]] = defaultdict(list)
        for case in train:
            if not isinstance(case.question, Choice):
                value = _state_overlap(case)
                for key in _templates(case):
                    cells[key].append((value, case.gold))
        self._sizes = {key: len(pairs) for key, pairs in cells.items()}
        self._cuts = {key: _fit_cut(pairs) for key, pairs in cells.items() if _kind(key) == "noul"}
        self._levels = {key: _fit_levels(pairs, _width(key)) for key, pairs in cells.items() if _kind(key) == "score"}

    def predict(self, case: Case) -> list[float]:
        """One-hot answer, or a uniform one where overlap says nothing."""
        outcomes = len(case.wanted)
        if isinstance(case.question, Noul):
            cut, above = _finest(self._cuts, self._sizes, case) or (0.5, True)
            is_true = (_state_overlap(case) >= cut) == above
            return [float(is_true), float(not is_true)]
        if isinstance(case.question, Score):
            cuts = _finest(self._levels, self._sizes, case)
            if cuts is None:
                return [1 / outcomes] * outcomes
            level = int(np.searchsorted(cuts, _state_overlap(case), side="right"))
            return [float(i == level) for i in range(outcomes)]
        return _choice_overlap(case)


def _templates(case: Case) -> list[Key]:
    """What a case can be counted under, finest first; the last two parts are the type and the count of outcomes."""
    capability, wording = case.row.capability, question_text(case.question)
    # a choice's options are told apart by name, so their count says nothing
    form = case.kind, "" if isinstance(case.question, Choice) else str(len(case.wanted))
    return [(capability, case.name, wording, *form), (capability, case.name, *form), (capability, *form)]


def _kind(key: Key) -> str:
    return key[-2]


def _width(key: Key) -> int:
    return int(key[-1])


def _finest(values: Mapping[Key, T], sizes: Mapping[Key, int], case: Case) -> T | None:
    """Value of the finest template with enough training cases, else of the coarsest with any."""
    keys = [key for key in _templates(case) if key in values]
    enough = [key for key in keys if sizes[key] >= ENOUGH]
    return values[(enough or keys[-1:])[0]] if keys else None


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


def _fit_cut(pairs: Sequence[tuple[float, int]]) -> tuple[float, bool]:
    """Threshold and direction with the most hits."""
    values = np.array([value for value, _ in pairs])
    is_true = np.array([gold == 0 for _, gold in pairs])
    best, found = -1.0, (0.5, True)
    for cut in np.unique(np.quantile(values, np.linspace(0, 1, 41))):
        share = float(((values >= cut) == is_true).mean())
        for rate, above in ((share, True), (1 - share, False)):
            if rate > best:
                best, found = rate, (float(cut), above)
    return found


def _fit_levels(pairs: Sequence[tuple[float, int]], levels: int) -> list[float]:
    """Cuts that give each level its share of the training cases, overlap rising with the level."""
    shares = np.cumsum(np.bincount([gold for _, gold in pairs], minlength=levels)) / len(pairs)
    return [float(cut) for cut in np.quantile([value for value, _ in pairs], shares[:-1])]


def _outcomes(case: Case) -> list[str]:
    if isinstance(case.question, Noul):
        return ["true", "false"]
    if isinstance(case.question, Score):
        return [f"{i}/{len(case.wanted)}" for i in range(len(case.wanted))]
    return list(case.question.criteria)
