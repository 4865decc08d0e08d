"""Step 11: loss weights, row scales and bucket multipliers (release format, Weights)."""

import math
from collections import Counter, defaultdict
from typing import NamedTuple

from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.schema import CAPABILITIES, Answer, ChoiceAnswer, NoulAnswer

STEP = "weights"
DIGITS = 6
TIERS = {"gold": 1.0, "derived": 0.8, "constructed": 0.7, "demonstration": 0.6, "weak": 0.3}


class Budget(NamedTuple):
    """Loss shares by bucket: wanted, realised after the multipliers, the multipliers, and whether one was capped."""

    target: dict[str, float]
    realised: dict[str, float]
    multiplier: dict[str, float]
    capped: list[str]


def weigh(items: list[Item], config: ReleaseConfig, ledger: Ledger) -> Budget:
    """Set weights and scales, and work out the bucket multipliers from the training rows."""
    balance = _balance([item for item in items if item.split == "train"])
    mothers = Counter(item.mother for item in items)
    totals: defaultdict[str, float] = defaultdict(float)
    for item in items:
        tier = TIERS[item.row.tier]
        # rounded here, so that the files say exactly what was summed
        item.weights = {name: round(tier * balance.get(_cell(item, name), 1.0), DIGITS) for name in item.questions}
        item.scale = round(min(1.0, config.mother_cap / mothers[item.mother]) / len(item.questions), DIGITS)
        if item.split == "train":
            totals[CAPABILITIES[item.row.capability]] += sum(item.weights.values()) * item.scale
    ledger.passed(STEP, len(items), len(items))
    return budget(dict(totals), config)


def label_of(answer: Answer) -> str:
    """Label under which an answer's class is counted."""
    if isinstance(answer, NoulAnswer):
        return str(answer.noul >= 0.5)
    return answer.choice if isinstance(answer, ChoiceAnswer) else str(round(answer.score))


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


Cell = tuple[str, str, str, str]


def _cell(item: Item, name: str) -> Cell:
    return item.source, item.row.capability, name, item.labels[name]


def _balance(items: list[Item]) -> dict[Cell, float]:
    """Balance of every class within its (source, template)."""
    counts: Counter[Cell] = Counter(_cell(item, name) for item in items for name in item.questions)
    templates: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for (source, capability, name, label), count in counts.items():
        templates[source, capability, name][label] = count
    return {(*key, label): weight for key, labels in templates.items() for label, weight in balanced(labels).items()}


def balanced(counts: dict[str, int]) -> dict[str, float]:
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
