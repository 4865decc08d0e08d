"""One temperature a question type, by a bounded search on log T: never negative, never running away."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from searchjev.evaluate.metrics import Distribution, nll, rps

LOWEST, HIGHEST = 0.2, 8.0
STEPS = 60


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
) -> float:
    """Temperature in [0.2, 8] with the least weighted mean loss: NLL, or RPS for ordered levels.

    Golden-section search on log T; T = 1 stays when nothing found is better.
    """
    loss = rps if ordered else nll
    total = sum(weights)

    def mean_loss(log_t: float) -> float:
        t = math.exp(log_t)
        losses = (w * loss(softmax(z, t), y) for z, y, w in zip(logits, wanted, weights, strict=True))
        return sum(losses) / total

    best = golden_section(mean_loss, math.log(LOWEST), math.log(HIGHEST))
    return math.exp(best) if mean_loss(best) < mean_loss(0.0) else 1.0


def golden_section(function: Callable[[float], float], low: float, high: float, steps: int = STEPS) -> float:
    """Place of a unimodal function's minimum in [low, high]."""
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
