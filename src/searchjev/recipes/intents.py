"""An utterance and its class among some of a source's classes, near ones among them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from searchjev.digest import draw, shuffled
from searchjev.schema import Choice, Language, target
from searchjev.source import Row, SplitName

OUT_OF_SCOPE: Mapping[Language, str] = {"en": "none of these", "zh": "以上都不是"}
NEAR_SHARE = 0.35
NONE_OFFERED = 0.12
"""Share of rows that offer "none of these" though one of the options fits."""

Near: TypeAlias = Callable[[str], Sequence[str]]


def readable(name: str) -> str:
    """Label as words: `book_flight` as `book flight`."""
    return " ".join(name.replace("_", " ").replace("/", " ").replace("?", "").split()).lower()


def lonely(name: str) -> Sequence[str]:
    """Nothing is near: classes of a source without families."""
    return ()


def options_for(
    gold: str | None, names: Sequence[str], near: Near, count: int, language: Language, key: str
) -> list[str]:
    """Options with the gold one, its family in part, the family of a wrong one in like number, and others.

    Without the second family the larger one would tell where the gold is. "None of these" stands where it is true,
    and in a share of the other rows.
    """
    anchors = ([gold] if gold else []) + [name for name in shuffled(names, key, "far") if name != gold]
    few = int(count * NEAR_SHARE)
    kept = dict.fromkeys(anchors[:2])
    for anchor in anchors[:2]:
        family = [name for name in shuffled(near(anchor), key, "near") if name not in kept and name != gold]
        kept.update(dict.fromkeys(family[:few]))
    kept.update(dict.fromkeys([name for name in anchors if name not in kept][: max(0, count - len(kept))]))
    options = list(kept)[:count]
    if gold is None or draw(key, "none") < NONE_OFFERED:
        options.append(OUT_OF_SCOPE[language])
    return shuffled(options, key, "order")


def class_row(
    capability: str, question_id: str, text: str, gold: str | None, names: Sequence[str], *,
    upstream_id: str, language: Language, split: SplitName | None, near: Near = lonely, fewest: int = 8,
    most: int = 20, keys: tuple[str, ...] = (),
) -> Row:  # fmt: skip
    """Row that asks for a class of the text; without a gold none of the options fits."""
    key, most = f"{capability}/{upstream_id}", min(most, len(names))
    fewest = min(fewest, most)
    count = fewest + int(draw(key, "count") * (most - fewest + 1))
    question = Choice(dict.fromkeys(options_for(gold, names, near, count, language, key)))
    field = "utterance" if capability == "intent" else "query"
    return Row(
        upstream_id=upstream_id, capability=capability, language=language, state={field: text},
        questions={question_id: question}, answers={question_id: target(question, gold or OUT_OF_SCOPE[language])},
        split=split, group_keys=(f"text:{text}", *keys),
    )  # fmt: skip
