"""Step 11: loss weights, row scales and bucket multipliers (release format, Weights)."""

from collections import Counter, defaultdict
from typing import NamedTuple

from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.schema import CAPABILITIES, Answer, ChoiceAnswer, NoulAnswer

STEP = "weights"
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
    mothers = Counter(item.keys[0] for item in items)
    for item in items:
        tier = TIERS[item.row.tier]
        item.weights = {n: tier * balance.get(_cell(item, n), 1.0) for n in item.questions}
        item.scale = min(1.0, config.mother_cap / mothers[item.keys[0]]) / len(item.questions)
    totals: Counter[str] = Counter()
    for item in items:
        if item.split == "train":
            totals[CAPABILITIES[item.row.capability]] += sum(item.weights.values()) * item.scale  # type: ignore[assignment]
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
    answer = item.answers[name]
    if item.negated.get(name) and isinstance(answer, NoulAnswer):
        answer = NoulAnswer(1 - answer.noul)
    return item.source, item.row.capability, name, label_of(answer)


def _balance(items: list[Item]) -> dict[Cell, float]:
    """Inverse square root of a class's frequency within (source, template), mean 1 over the rows, in [0.5, 2].

    Open options have no classes to balance: a template with over 20 labels is left at 1.
    """
    counts: Counter[Cell] = Counter(_cell(item, name) for item in items for name in item.questions)
    templates: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for (source, capability, name, label), count in counts.items():
        templates[source, capability, name][label] = count
    out: dict[Cell, float] = {}
    for key, labels in templates.items():
        if len(labels) > 20:
            continue
        mean = sum(count * count**-0.5 for count in labels.values()) / sum(labels.values())
        out |= {(*key, label): min(2.0, max(0.5, count**-0.5 / mean)) for label, count in labels.items()}
    return out
