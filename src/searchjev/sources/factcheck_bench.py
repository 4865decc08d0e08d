"""Factcheck-Bench: claims of a chat model with retrieved passages, and replies judged by claims (Wang et al. 2024).

Passages that support a claim in part are left out: many of them hardly do. HaluEval's part is left to its own source.
"""

import re
from collections.abc import Iterator, Mapping

from searchjev.digest import draw
from searchjev.recipes.claims import claim_row
from searchjev.recipes.replies import LONGEST
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

STANCES: Mapping[object, str] = {
    "completely-support": "supported", "refute": "refuted", "irrelevant": "not enough",
}  # fmt: skip
SHORTEST, LONGEST_PASSAGE = 60, 1_500
IRRELEVANT_SHARE = 0.3
"""Share of passages kept that say nothing about the claim; there are twice as many as of all others."""

MOST_SHARED, LEAST_SHARED = 0.7, 0.5
"""Share of a claim's words in the passage above which "irrelevant", below which "supported" is not believed."""

FOREIGN = "halueval-dolly15k"
MACHINE = ('"output"', "{", "[")
_WORD = re.compile(r"[^\W_]{4,}")


def is_belied(claim: str, passage: str, gold: str) -> bool:
    """Whether the words that claim and passage share speak against the stance."""
    words, told = set(_WORD.findall(claim.lower())), set(_WORD.findall(passage.lower()))
    shared = len(words & told) / max(1, len(words))
    return {"supported": shared < LEAST_SHARED, "not enough": shared > MOST_SHARED, "refuted": shared == 0}[gold]


def stance_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Whether a retrieved passage supports a claim, refutes it or says nothing about it."""
    gold, claim, passage = STANCES.get(raw["stance"]), raw["claim"].strip(), " ".join(raw["evidence"].split())
    row_id = f"stance-{raw.line}"
    if gold is None:
        yield Drop("partly supported")
    elif not claim or not SHORTEST <= len(passage) <= LONGEST_PASSAGE:
        yield Drop("no claim, or passage too short or too long")
    elif gold == "not enough" and draw("factcheck_bench", row_id) >= IRRELEVANT_SHARE:
        yield Drop("passage without bearing not drawn")
    elif is_belied(claim, passage, gold):
        yield Drop("stance belied by the words of the passage")
    else:
        yield claim_row(claim, [passage], gold, row_id, None)


def reply_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Whether all the claims of a reply are true, where each could be judged."""
    request, reply = ((raw.get(name) or "").strip() for name in ("prompt", "response"))
    label = raw["response_label"]
    judged = raw.get("claim_labels") or []
    if raw["source"] == FOREIGN:
        yield Drop("part of another source")
    elif not isinstance(label, bool) or not judged or not all(isinstance(mark, bool) for mark in judged):
        yield Drop("not judged whole")
    elif label != all(judged):
        yield Drop("judgement of the reply and of its claims differ")
    elif reply.startswith(MACHINE):
        yield Drop("reply with marks of a machine format")
    elif not request or not reply or len(request) + len(reply) > LONGEST["en"]:
        yield Drop("no request or reply, or too long")
    else:
        question = Noul()
        yield Row(
            upstream_id=f"reply-{raw.line}", capability="response_quality", language="en",
            state={"request": request, "reply": reply}, questions={"truthful": question},
            answers={"truthful": target(question, label)}, group_keys=(f"text:{request}",),
        )  # fmt: skip


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of either file."""
    yield from stance_rows(raw) if "stance" in raw.value else reply_rows(raw)


SOURCES = (
    Source(
        name="factcheck_bench", home="https://github.com/yuxiaw/Factcheck-GPT", licence="Apache-2.0",
        licence_class="open", languages=("en",), capabilities=("evidence", "response_quality"), rows=to_rows,
        files=(File(name="subtask3_claim_evidence_stance.jsonl"), File(name="Factbench.jsonl")),
    ),
)  # fmt: skip
