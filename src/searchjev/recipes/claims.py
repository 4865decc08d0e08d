"""Claims with evidence: the question what the evidence says of a claim, and claims put as questions for a search."""

from collections.abc import Mapping, Sequence

from searchjev.schema import Choice, Language, Noul, target
from searchjev.source import Drop, Row, SplitName

LABELS = ("supported", "refuted", "not enough")
LONGEST = 1_500
"""Characters of evidence above which a claim is dropped."""

FEVER: Mapping[str, str] = {"SUPPORTS": "supported", "REFUTES": "refuted"}
TOKENISED = (
    ("-LRB- ", "("), (" -RRB-", ")"), ("-LSB- ", "["), (" -RSB-", "]"), (" ,", ","), (" .", "."), (" 's", "'s"),
    ("`` ", '"'), (" ''", '"'), (" ;", ";"), (" :", ":"),
)  # fmt: skip


def checked_row(
    claim: str,
    evidence: Sequence[str],
    gold: str | None,
    row_id: str,
    split: SplitName | None,
    *keys: str,
    language: Language = "en",
    about: Mapping[str, str] | None = None,
) -> Row | Drop:
    """`claim_row`, or a drop where verdict, claim or evidence is missing or the evidence is too long."""
    if gold is None or not claim or not all(evidence) or not evidence:
        return Drop("no verdict, claim or evidence")
    if sum(map(len, evidence)) > LONGEST:
        return Drop("evidence over 1,500 characters")
    return claim_row(claim, list(evidence), gold, row_id, split, *keys, language=language, about=about)


def claim_row(
    claim: str,
    evidence: list[str],
    gold: str | Mapping[str, float],
    row_id: str,
    split: SplitName | None,
    *keys: str,
    language: Language = "en",
    about: Mapping[str, str] | None = None,
) -> Row:
    """Ask what the evidence says of the claim, and whether it supports it.

    `gold` is a verdict, or the weights of several where annotators differ; `about` tells who said it and when.
    """
    weights = {gold: 1.0} if isinstance(gold, str) else gold
    share = weights.get("supported", 0.0) / sum(weights.values())
    verdict, supported = Choice(dict.fromkeys(LABELS)), Noul()
    return Row(
        upstream_id=row_id,
        capability="evidence",
        language=language,
        state={"claim": claim, **(about or {}), "evidence": evidence},
        questions={"verdict": verdict, "supported": supported},
        answers={"verdict": target(verdict, gold), "supported": target(supported, share)},
        split=split,
        group_keys=(f"claim:{claim}", *keys),
    )


def supported_row(
    claim: str,
    evidence: list[str],
    share: float,
    row_id: str,
    split: SplitName | None,
    *keys: str,
    about: Mapping[str, str] | None = None,
) -> Row:
    """Ask only whether the evidence supports the claim: for sets that don't tell refuted from left open."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability="evidence",
        language="en",
        state={"claim": claim, **(about or {}), "evidence": evidence},
        questions={"supported": question},
        answers={"supported": target(question, share)},
        split=split,
        group_keys=(f"claim:{claim}", *keys),
    )


def asked(claim: str) -> str:
    """Claim as the question that a search is run for."""
    return f"Is it true? {claim.strip()}"


def plain(text: str) -> str:
    """Tokenised text as it is written."""
    for old, new in TOKENISED:
        text = text.replace(old, new)
    return text
