"""One temperature a question type, by a bounded search on log T: never negative, never running away."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchjev.evaluate.metrics import Distribution

LOWEST, HIGHEST = 0.2, 8.0
LEAST = 50
"""Fewer cases keep T = 1."""
AT_BOUND = 1e-3
"""Distance of log T from a bound within which the fit counts as stopped by it."""
LEAST_GAIN = 1e-9
STEPS = 60


class Temperature(NamedTuple):
    """A fitted temperature; `flag` says why it is no ordinary fit: too_few_rows, no_gain, at_bound, or None."""

    value: float
    flag: str | None = None


def softmax(logits: Sequence[float], temperature: float = 1.0) -> list[float]:
    """Probabilities of logits divided by a temperature."""
    z = np.asarray(logits, float) / temperature
    weights = np.exp(z - z.max())
    return [float(p) for p in weights / weights.sum()]


def fit_temperature(
    logits: Sequence[Sequence[float]],
    wanted: Sequence[Distribution],
    weights: Sequence[float],
    *,
    ordered: bool = False,
    least: int = LEAST,
) -> Temperature:
    """Temperature in [0.2, 8] with the least weighted mean loss: NLL, or RPS for ordered levels.

    T = 1 stays, flagged, with fewer than `least` cases and where nothing found is better.
    """
    if len(logits) < max(1, least):
        return Temperature(1.0, "too_few_rows")
    z, t, w = _padded(logits, -np.inf), _padded(wanted, 0.0), np.asarray(weights, float)
    loss = _rps if ordered else _nll
    steps = np.array([max(1, len(row) - 1) for row in logits])

    def mean_loss(log_t: float) -> float:
        return float(np.average(loss(_log_softmax(z / math.exp(log_t)), t, steps), weights=w))

    low, high = math.log(LOWEST), math.log(HIGHEST)
    best = golden_section(mean_loss, low, high)
    if not mean_loss(best) < mean_loss(0.0) - LEAST_GAIN:
        return Temperature(1.0, "no_gain")
    is_bound = min(best - low, high - best) < AT_BOUND
    return Temperature(math.exp(best), "at_bound" if is_bound else None)


def golden_section(function: Callable[[float], float], low: float, high: float, steps: int = STEPS) -> float:
    """Place of a unimodal function's minimum in [low, high], to 1e-4."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = function(a), function(b)
    for _ in range(steps):
        if high - low < 1e-4:
            break
        if fa <= fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = function(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = function(b)
    return (low + high) / 2


def _padded(rows: Sequence[Sequence[float]], fill: float) -> NDArray[np.float64]:
    out = np.full((len(rows), max(map(len, rows))), fill)
    for line, row in zip(out, rows, strict=True):
        line[: len(row)] = row
    return out


def _log_softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = z - z.max(1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))


def _nll(log_p: NDArray[np.float64], t: NDArray[np.float64], _steps: NDArray[np.int64]) -> NDArray[np.float64]:
    # padded outcomes have t = 0 and log p = -inf, whose product would be NaN
    return -np.asarray(np.where(t > 0, t * np.where(t > 0, log_p, 0.0), 0.0).sum(1))


def _rps(log_p: NDArray[np.float64], t: NDArray[np.float64], steps: NDArray[np.int64]) -> NDArray[np.float64]:
    # from the last level on both sums are 1, so padding adds nothing
    gaps = np.cumsum(np.exp(log_p), 1) - np.cumsum(t, 1)
    return np.asarray((gaps**2).sum(1) / steps)
