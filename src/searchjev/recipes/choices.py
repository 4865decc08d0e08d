"""Options made of answer texts: in an order that tells nothing, named by their text or by a neutral letter."""

from collections.abc import Sequence

from searchjev.digest import draw, shuffled
from searchjev.schema import Answer, Choice, target

LONGEST_NAME = 40
NEUTRAL_SHARE = 0.5


def choice_of(texts: Sequence[str], right: int, *key: str) -> tuple[Choice, Answer]:
    """Choice among distinct texts, whose place is fixed by the key, with the text at index `right` as its answer.

    Short texts name their option themselves in half of the choices; otherwise letters do and texts describe.
    """
    assert len(set(texts)) == len(texts)
    order = shuffled(range(len(texts)), *key, "order")
    letters = draw(*key, "names") < NEUTRAL_SHARE or max(map(len, texts)) > LONGEST_NAME
    names = [chr(ord("A") + place) if letters else texts[i] for place, i in enumerate(order)]
    question = Choice({name: texts[i] if letters else None for name, i in zip(names, order, strict=True)})
    return question, target(question, names[order.index(right)])


def few_of(names: Sequence[str], right: str, fewest: int, most: int, *key: str) -> list[str]:
    """Between `fewest` and `most` of the names with the right one among them, drawn and ordered by the key."""
    span = max(1, min(most, len(names)) - fewest + 1)
    count = fewest + int(draw(*key, "count") * span)
    others = [name for name in shuffled(names, *key, "options") if name != right]
    return shuffled([right, *others[: count - 1]], *key, "order")
