"""Step 11: loss weights, row scales and bucket multipliers (release format, Weights)."""

import math
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from searchjev.release.config import ReleaseConfig
from searchjev.release.table import TIERS, Flags, Table
from searchjev.schema import BUCKETS, CAPABILITIES
from searchjev.source import Tier

T = TypeVar("T")
Floats: TypeAlias = npt.NDArray[np.float64]
STEP = "weights"
DIGITS = 6
TIER_WEIGHTS: dict[Tier, float] = {"gold": 1.0, "derived": 0.8, "constructed": 0.7, "demonstration": 0.6, "weak": 0.3}


class Budget(NamedTuple):
    """Loss shares by bucket: wanted, realised after the multipliers, the multipliers, and whether one was capped."""

    target: dict[str, float]
    realised: dict[str, float]
    multiplier: dict[str, float]
    capped: list[str]


class Weights(NamedTuple):
    """Loss weight of each question, scale of each row, and the budget of the buckets."""

    question: Floats
    scale: Floats
    budget: Budget


def weigh(table: Table, stays: Flags, is_train: Flags, config: ReleaseConfig) -> Weights:
    """Weights, scales and bucket multipliers; `stays` marks the questions left, `is_train` the training rows.

    Classes are counted as the source names them, over the training rows; mothers over all rows that are left.
    """
    asks = table.question_row
    trains = stays & is_train[asks]
    tier = np.array([TIER_WEIGHTS[name] for name in TIERS])[table.rows.tier][asks]
    # rounded here, so that the files say exactly what was summed
    weight = np.round(tier * _balance(table, trains), DIGITS)
    left = np.bincount(asks[stays], minlength=len(table))
    scale = np.round(_mother_share(table, left > 0, config) / np.maximum(left, 1), DIGITS)
    buckets = np.array([BUCKETS.index(bucket) for bucket in CAPABILITIES.values()])[table.rows.capability]
    mass = np.bincount(buckets[asks[trains]], weights=(weight * scale[asks])[trains], minlength=len(BUCKETS))
    totals = {bucket: float(value) for bucket, value in zip(BUCKETS, mass, strict=True)}
    return Weights(weight, scale, budget(totals, config))


def _mother_share(table: Table, alive: Flags, config: ReleaseConfig) -> Floats:
    """Return min(1, cap / rows of the mother) of each row."""
    _, member = np.unique(table.rows.mother, return_inverse=True)
    counts = np.bincount(member[alive], minlength=int(member.max(initial=0)) + 1)
    share: Floats = np.minimum(1.0, config.mother_cap / np.maximum(counts[member], 1))
    return share


def _balance(table: Table, trains: Flags) -> Floats:
    """Balance of every question's class within its (source, template), 1 for classes that training has not."""
    labels, member = np.unique(table.rows.label, return_inverse=True)
    counts = np.bincount(member[trains], minlength=len(labels))
    template = np.zeros(len(labels), np.uint64)
    template[member] = table.rows.template
    weight = np.ones(len(labels))
    order = np.argsort(template, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(template[order])) + 1):
        met = {int(place): int(counts[place]) for place in places if counts[place]}
        if met:
            for place, value in balanced(met).items():
                weight[place] = value
    return weight[member]


def budget(totals: dict[str, float], config: ReleaseConfig) -> Budget:
    """Multipliers m = share * W / W_bucket, capped; what a cap leaves over goes to the others in proportion."""
    present = {bucket: total for bucket, total in totals.items() if total > 0}
    whole = sum(present.values())
    wanted = {bucket: config.shares[bucket] for bucket in present}
    scale = sum(wanted.values())
    multiplier: dict[str, float] = {}
    capped: list[str] = []
    while True:
        free = [bucket for bucket in present if bucket not in capped]
        left = whole - sum(config.max_multiplier * present[bucket] for bucket in capped)
        share = sum(wanted[bucket] for bucket in free)
        multiplier = {bucket: wanted[bucket] / share * left / present[bucket] for bucket in free}
        over = [bucket for bucket in free if multiplier[bucket] > config.max_multiplier]
        if not over:
            break
        capped += over
    multiplier |= dict.fromkeys(capped, config.max_multiplier)
    mass = {bucket: multiplier[bucket] * present[bucket] for bucket in present}
    realised = {bucket: value / sum(mass.values()) for bucket, value in mass.items()}
    targets = {bucket: value / scale for bucket, value in wanted.items()}
    order = [bucket for bucket in config.shares if bucket in present]
    return Budget(
        {b: targets[b] for b in order},
        {b: realised[b] for b in order},
        {b: multiplier[b] for b in order},
        sorted(capped),
    )


def balanced(counts: dict[T, int]) -> dict[T, float]:
    """Inverse square root of each class's count, clipped to [0.5, 2], with mean 1 over the rows after the clipping."""
    rows = sum(counts.values())
    low, high = 0.0, 2.0 * math.sqrt(max(counts.values()))
    for _ in range(60):
        factor = (low + high) / 2
        mean = sum(count * _clipped(factor, count) for count in counts.values()) / rows
        low, high = (factor, high) if mean < 1 else (low, factor)
    return {label: _clipped(high, count) for label, count in counts.items()}


def _clipped(factor: float, count: int) -> float:
    return min(2.0, max(0.5, factor / math.sqrt(count)))
