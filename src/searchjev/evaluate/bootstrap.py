"""Intervals of a mean by resampling whole groups: rows of one document or question are not independent."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

FEW_GROUPS = 10
"""Below this many groups no interval is given."""

DRAWS_AT_ONCE = 4_000_000
"""Resampled groups held in memory at once."""


class Interval(NamedTuple):
    """A 95 % interval and the number of groups that it rests on."""

    low: float
    high: float
    groups: int


def group_interval(
    values: Sequence[float], groups: Sequence[str], *, resamples: int = 1000, seed: int = 7
) -> Interval | None:
    """95 % percentile interval of the mean of `values`, resampling groups; None with fewer than 10 groups.

    For two models on the same rows give the differences as values. The order of the rows changes nothing.
    """
    names, places = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < FEW_GROUPS:
        return None
    sums = np.bincount(places, weights=np.asarray(values, float))
    counts = np.bincount(places).astype(float)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    at_once = max(1, DRAWS_AT_ONCE // len(names))
    for begin in range(0, resamples, at_once):
        draws = generator.integers(0, len(names), (min(at_once, resamples - begin), len(names)))
        means[begin : begin + len(draws)] = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(low), float(high), len(names))
