"""Figures of predicted distributions against wanted ones; always pooled over cases, never averaged from parts."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Distribution = Sequence[float]
FLOOR = 1e-12
BINS = 15


class Figures(NamedTuple):
    """Figures of one slice. NLL in nats; Brier is the sum of squared differences; RPS and MAE of scores alone."""

    n: int
    accuracy: float
    nll: float
    brier: float
    ece: float
    rps: float | None
    mae: float | None


def figures(predicted: Sequence[Distribution], wanted: Sequence[Distribution], is_score: Sequence[bool]) -> Figures:
    """All figures of aligned predictions and wanted distributions; at least one is needed."""
    hits = [hit(p, t) for p, t in zip(predicted, wanted, strict=True)]
    scores = [(p, t) for p, t, ordered in zip(predicted, wanted, is_score, strict=True) if ordered]
    return Figures(
        n=len(predicted),
        accuracy=float(np.mean(hits)),
        nll=float(np.mean([nll(p, t) for p, t in zip(predicted, wanted, strict=True)])),
        brier=float(np.mean([brier(p, t) for p, t in zip(predicted, wanted, strict=True)])),
        ece=ece([max(p) for p in predicted], hits),
        rps=float(np.mean([rps(p, t) for p, t in scores])) if scores else None,
        mae=float(np.mean([abs(_expected(p) - _expected(t)) for p, t in scores])) if scores else None,
    )


def hit(predicted: Distribution, wanted: Distribution) -> float:
    """1 when the likeliest outcome is the wanted one; k outcomes that tie for it share the hit: 1/k."""
    top = max(predicted)
    tied = [i for i, p in enumerate(predicted) if p == top]
    best = max(wanted)
    return sum(wanted[i] == best for i in tied) / len(tied)


def nll(predicted: Distribution, wanted: Distribution) -> float:
    """-sum t log p, in nats; p is floored at 1e-12."""
    return -sum(t * math.log(max(p, FLOOR)) for p, t in zip(predicted, wanted, strict=True) if t > 0)


def brier(predicted: Distribution, wanted: Distribution) -> float:
    """Sum of (p - t)^2 over the outcomes."""
    return sum((p - t) ** 2 for p, t in zip(predicted, wanted, strict=True))


def rps(predicted: Distribution, wanted: Distribution) -> float:
    """Ranked probability score, divided by the number of steps between levels; 0 for one level."""
    gaps = (np.cumsum(predicted) - np.cumsum(wanted))[:-1]
    return float((gaps**2).mean()) if len(gaps) else 0.0


def ece(confidence: Sequence[float], hits: Sequence[float], bins: int = BINS) -> float:
    """Expected calibration error of top-1 confidence over equal-width bins (0, 1/b], ..., ((b-1)/b, 1].

    A confidence of 0 lies in the first bin and one of 1 in the last, so every case is counted once.
    """
    p, right = np.asarray(confidence, float), np.asarray(hits, float)
    places = np.clip(np.ceil(p * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    total = 0.0
    for place in np.unique(places):
        inside = places == place
        total += abs(p[inside].mean() - right[inside].mean()) * inside.sum()
    return float(total / len(p))


def _expected(distribution: Distribution) -> float:
    return sum(i * p for i, p in enumerate(distribution))
