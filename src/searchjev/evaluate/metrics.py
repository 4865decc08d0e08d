"""Figures of predicted distributions against wanted ones; always pooled over cases, never averaged from parts."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchjev.errors import DataError

Distribution = Sequence[float]
FLOOR = 1e-12
BINS = 15


class Figures(NamedTuple):
    """Figures of one slice. NLL in nats; Brier is the sum of squared differences; RPS and MAE of scores alone.

    `ties` counts cases whose likeliest outcomes tie; `aurc` and `coverage_5` are what a gate can expect. Where several
    annotators answered, ECE and these two take the share who agree, so that their own distribution is calibrated.
    """

    n: int
    accuracy: float
    nll: float
    brier: float
    ece: float
    rps: float | None
    mae: float | None
    ties: int
    aurc: float
    coverage_5: float


class Bin(NamedTuple):
    """Cases whose confidence lies in (low, high], with their mean confidence and accuracy (None when empty)."""

    low: float
    high: float
    n: int
    confidence: float | None
    accuracy: float | None


def figures(predicted: Sequence[Distribution], wanted: Sequence[Distribution], is_score: Sequence[bool]) -> Figures:
    """All figures of aligned predictions and wanted distributions; at least one is needed."""
    hits = [hit(p, t) for p, t in zip(predicted, wanted, strict=True)]
    agreed = [agreement(p, t) for p, t in zip(predicted, wanted, strict=True)]
    tops = [max(p) for p in predicted]
    scores = [(p, t) for p, t, ordered in zip(predicted, wanted, is_score, strict=True) if ordered]
    return Figures(
        n=len(predicted),
        accuracy=float(np.mean(hits)),
        nll=float(np.mean([nll(p, t) for p, t in zip(predicted, wanted, strict=True)])),
        brier=float(np.mean([brier(p, t) for p, t in zip(predicted, wanted, strict=True)])),
        ece=ece(tops, agreed),
        rps=float(np.mean([rps(p, t) for p, t in scores])) if scores else None,
        mae=float(np.mean([abs(_expected(p) - _expected(t)) for p, t in scores])) if scores else None,
        ties=sum(len(_tops(p)) > 1 for p in predicted),
        aurc=aurc(tops, agreed),
        coverage_5=coverage(tops, agreed, 0.05),
    )


def hit(predicted: Distribution, wanted: Distribution) -> float:
    """1 when the likeliest outcome is the wanted one; outcomes that tie for either share the hit: 1/k."""
    tied, best = _tops(predicted), _tops(wanted)
    return sum(i in best for i in tied) / (len(tied) * len(best))


def agreement(predicted: Distribution, wanted: Distribution) -> float:
    """Share of annotators who gave the likeliest outcome, equal to `hit` for a single label; ties share."""
    tied = _tops(predicted)
    return sum(wanted[i] for i in tied) / len(tied)


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


def reliability(confidence: Sequence[float], hits: Sequence[float], bins: int = BINS) -> list[Bin]:
    """Top-1 confidence and accuracy in equal-width bins (0, 1/b], ..., ((b-1)/b, 1].

    A confidence of 0 lies in the first bin and one of 1 in the last, so every case is counted once.
    """
    p, right = np.asarray(confidence, float), np.asarray(hits, float)
    if not ((p >= 0) & (p <= 1 + 1e-9)).all():  # false for NaN too
        raise DataError("a confidence outside [0, 1] or NaN; probabilities of answers are expected")
    # 1e-9: 0.1 + 0.2 lies on the edge 0.3, as 0.3 does
    places = np.clip(np.ceil(p * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    return [_bin(place, bins, p[places == place], right[places == place]) for place in range(bins)]


def ece(confidence: Sequence[float], hits: Sequence[float], bins: int = BINS) -> float:
    """Expected calibration error of top-1 confidence over the bins of `reliability`."""
    return sum(
        abs(b.confidence - b.accuracy) * b.n
        for b in reliability(confidence, hits, bins)
        if b.confidence is not None and b.accuracy is not None
    ) / len(confidence)


def aurc(confidence: Sequence[float], hits: Sequence[float]) -> float:
    """Area under the risk-coverage curve: mean error of the k most confident cases, over all k; low is good."""
    errors = _errors_by_confidence(confidence, hits)
    return float((np.cumsum(errors) / np.arange(1, len(errors) + 1)).mean())


def coverage(confidence: Sequence[float], hits: Sequence[float], error: float) -> float:
    """Largest share of the most confident cases whose error rate is at most `error`, seen afterwards: no guarantee."""
    errors = _errors_by_confidence(confidence, hits)
    rates = np.cumsum(errors) / np.arange(1, len(errors) + 1)
    # a threshold takes all cases of one confidence or none
    p = np.sort(np.asarray(confidence, float))[::-1]
    ends = np.append(p[:-1] != p[1:], True)
    fits = np.flatnonzero((rates <= error + 1e-12) & ends)
    return float((fits[-1] + 1) / len(errors)) if len(fits) else 0.0


def _errors_by_confidence(confidence: Sequence[float], hits: Sequence[float]) -> NDArray[np.float64]:
    """Error of each case, most confident first; cases of one confidence share their mean, so order says nothing."""
    p, wrong = np.asarray(confidence, float), 1 - np.asarray(hits, float)
    _, places = np.unique(-p, return_inverse=True)
    means = np.bincount(places, weights=wrong) / np.bincount(places)
    return np.asarray(means[np.sort(places)])


def _bin(place: int, bins: int, p: NDArray[np.float64], right: NDArray[np.float64]) -> Bin:
    low, high = place / bins, (place + 1) / bins
    if not len(p):
        return Bin(low, high, 0, None, None)
    return Bin(low, high, len(p), float(p.mean()), float(right.mean()))


def _tops(distribution: Distribution) -> list[int]:
    top = max(distribution)
    return [i for i, p in enumerate(distribution) if p == top]


def _expected(distribution: Distribution) -> float:
    return sum(i * p for i, p in enumerate(distribution))
