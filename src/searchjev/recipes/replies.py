"""Two replies to one request as a preference, in either order; one reply as a judgement."""

from collections.abc import Iterator

from searchjev.digest import draw
from searchjev.schema import Choice, Language, Noul, target
from searchjev.source import Drop, Row, SplitName, Tier

LONGEST = {"en": 2_600, "zh": 1_000}


def fault_of(request: str, first: str, second: str, language: Language) -> Drop | None:
    """Why these two replies make no row, or None."""
    if not request.strip() or not first.strip() or not second.strip():
        return Drop("empty request or reply")
    if first.strip() == second.strip():
        return Drop("equal replies")
    if len(request) + len(first) + len(second) > LONGEST[language]:
        return Drop("request and replies too long")
    return None


def preference(
    request: str, first: str, second: str, first_wins: float, *, upstream_id: str, language: Language,
    tier: Tier = "gold", split: SplitName | None = None, keys: tuple[str, ...] = (), mother: str | None = None,
) -> Iterator[Row | Drop]:  # fmt: skip
    """Row asking which reply is better; `first_wins` is 1, 0, or the share of votes. A digest swaps half of them."""
    if fault := fault_of(request, first, second, language):
        yield fault
        return
    if draw("swap", upstream_id) < 0.5:
        first, second, first_wins = second, first, 1 - first_wins
    question = Choice({"reply_1": None, "reply_2": None})
    gold = {"reply_1": first_wins, "reply_2": 1 - first_wins}
    hard = next((name for name, weight in gold.items() if weight == 1), None)
    yield Row(
        upstream_id=upstream_id, capability="preference_pair", language=language,
        state={"request": request.strip(), "reply_1": first.strip(), "reply_2": second.strip()},
        questions={"better": question}, answers={"better": target(question, hard or gold)}, tier=tier, split=split,
        group_keys=(f"text:{request.strip()}", *keys), mother=mother,
    )  # fmt: skip


def judgement(
    question_id: str, state: dict[str, object], holds: bool, *, upstream_id: str, language: Language, mother: str,
    split: SplitName | None = None, keys: tuple[str, ...] = (),
) -> Row:  # fmt: skip
    """Row asking whether a single reply is as it should be; derived from a choice between replies."""
    question = Noul()
    return Row(
        upstream_id=upstream_id, capability="response_quality", language=language, state=state,
        questions={question_id: question}, answers={question_id: target(question, holds)}, tier="derived",
        origin="derived", split=split, mother=mother, group_keys=(f"text:{state['request']}", *keys),
    )  # fmt: skip
