"""EntailmentBank: science statements with the facts that prove them among 25, and how (Dalvi et al. 2021).

Many a fact of a proof only says that one thing is a kind of another, and nobody would miss it. Left out is only a fact
that says something of the statement that no other fact says.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from searchjev.digest import draw
from searchjev.recipes.claims import asked
from searchjev.recipes.hops import Page, Problem, evidence_rows
from searchjev.source import Drop, File, Raw, Row, Source

MOST_NEEDED = 5
SHARE = 0.75
"""Share of the statements that are used."""

_FACT = re.compile(r"(?:^|\s)(sent\d+): ")
_NAMED = re.compile(r"\bsent\d+\b")
_FIELD = re.compile(r"\$(\w+)\$ = (.*?)(?= ; \$\w+\$ = |$)", re.DOTALL)
_GLOSS = re.compile(r"\b(is a kind of|are a kind of|means?|is similar to|is synonymous with|is part of)\b")
_WORD = re.compile(r"[a-z]{4,}")


class Proof(NamedTuple):
    """One statement with its facts by name, and the names of those that prove it, in order."""

    id: str
    statement: str
    facts: dict[str, str]
    needed: list[str]


def proof_of(raw: Raw) -> Proof:
    """Proof of a record, which is one text of named fields in the published train file."""
    found = dict(_FIELD.findall(raw["input"])) if "input" in raw.value else raw.value
    _, *parts = _FACT.split(found["context"])
    facts = {name: plain(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}
    proof = raw["output"] if "input" in raw.value else raw["proof"]
    return Proof(str(raw["id"]), plain(found["hypothesis"]), facts, list(dict.fromkeys(_NAMED.findall(proof))))


def plain(text: str) -> str:
    """Text without the spaces of its tokens."""
    return re.sub(r"\( (.*?) \)", r"(\1)", " ".join(text.split())).replace(" ,", ",").replace(" 's", "'s")


def stems(text: str) -> set[str]:
    """First five letters of the longer words."""
    return {word[:5] for word in _WORD.findall(text.lower())}


def missed(proof: Proof) -> list[str]:
    """Names of the facts that say something of the statement that no other fact of the 25 says."""
    said = stems(proof.statement)
    telling = [name for name in proof.needed if not _GLOSS.search(proof.facts[name])]
    rest = {n: set().union(*(stems(text) for name, text in proof.facts.items() if name != n)) for n in telling}
    return [name for name in telling if (said & stems(proof.facts[name])) - rest[name]]


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows about the facts found for a statement: enough, stop, gain of one more, which to take."""
    proof = proof_of(raw)
    if not 2 <= len(proof.needed) <= MOST_NEEDED or not set(proof.needed) <= set(proof.facts):
        yield Drop("fewer than two facts needed, or more than five")
        return
    keys = missed(proof)
    if not keys:
        yield Drop("no fact that would surely be missed")
        return
    if draw("entailment_bank", proof.id) >= SHARE:
        yield Drop("not drawn")
        return
    names = [*proof.needed, *(name for name in proof.facts if name not in proof.needed)]
    problem = Problem(
        "entailment_bank",
        proof.id,
        asked(proof.statement[:1].upper() + proof.statement[1:] + "."),
        "",
        tuple(Page("", (proof.facts[name],)) for name in names),
        tuple(range(len(proof.needed))),
        split=raw.split,
        key=tuple(proof.needed.index(name) for name in keys),
    )
    yield from evidence_rows(problem)


SOURCES = (
    Source(
        name="entailment_bank", home="https://github.com/allenai/entailment_bank", licence="Apache-2.0",
        licence_class="open", languages=("en",),
        capabilities=(
            "evidence_sufficiency_state", "marginal_gain", "retrieval_gain", "serp_select", "stop_boundary",
        ),
        rows=to_rows,
        files=(
            File(name="task_2_train_angles.jsonl", split="train"),
            File(name="task_2_dev.jsonl", split="val"),
            File(name="task_2_test.jsonl", split="test"),
        ),
    ),
)  # fmt: skip
