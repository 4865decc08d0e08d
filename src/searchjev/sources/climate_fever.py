"""CLIMATE-FEVER: claims about climate with five retrieved sentences, each judged by two to five people (2020)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.claims import asked, claim_row
from searchjev.schema import Noul, State, target
from searchjev.source import Drop, File, Raw, Row, Source

VOTES: Mapping[str, str] = {"SUPPORTS": "supported", "REFUTES": "refuted", "NOT_ENOUGH_INFO": "not enough"}
LONGEST = 600
OPEN_SHARE = 0.6
"""Share of the votes above which a sentence is taken to leave the claim open."""

PASSAGES = 3
OPEN_KEPT = 0.5
"""Share of the claims without any settling sentence that are kept: they are twice as many as the others."""


class Judged(NamedTuple):
    """One sentence with its article and the votes on it."""

    article: str
    text: str
    votes: Mapping[str, int]

    @property
    def verdict(self) -> str | None:
        """Support or refutation that all voters saw, else None."""
        found = [name for name in self.votes if name != "not enough"]
        return found[0] if len(found) == len(self.votes) == 1 else None

    @property
    def leaves_open(self) -> bool:
        """Whether clearly more than half of the voters found that the sentence settles nothing."""
        return self.votes.get("not enough", 0) > OPEN_SHARE * sum(self.votes.values())

    @property
    def page(self) -> dict[str, str]:
        """Sentence as it stands in a state."""
        return {"title": self.article, "text": self.text}


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one claim; sentences over 600 characters, mostly lists of references, are passed over."""
    found = [judged(item) for item in raw["evidences"] if len(item["evidence"]) <= LONGEST]
    settling = [item for item in found if item.verdict]
    leaving = [item for item in found if item.leaves_open]
    claim, row_id = " ".join(raw["claim"].split()).strip("“” "), str(raw["claim_id"])
    rows = [*single(claim, settling, leaving, row_id, raw), *together(claim, found, row_id, raw)]
    rows += [*enough(claim, found, settling, leaving, row_id, raw), *gain(claim, settling, leaving, row_id, raw)]
    if rows:
        yield from rows
    else:
        yield Drop("voters disagree on every sentence")


def judged(item: Mapping[str, object]) -> Judged:
    """Sentence of a record; missing votes are padding."""
    votes = item["votes"]
    assert isinstance(votes, list)
    counts = Counter(VOTES[vote] for vote in votes if vote)
    return Judged(str(item["article"]), " ".join(str(item["evidence"]).split()), counts)


def single(claim: str, settling: list[Judged], leaving: list[Judged], row_id: str, raw: Raw) -> Iterator[Row]:
    """What one sentence says: one that settles the claim and one that leaves it open, weighted by the votes."""
    for name, group in (("settling", settling), ("open", leaving)):
        if group:
            one = pick(group, row_id, name)
            weights = {key: float(count) for key, count in one.votes.items()}
            told = [f"{one.article}: {one.text}"]
            yield beside(claim_row(claim, told, weights, f"{row_id}-{name}", raw.split), row_id)


def together(claim: str, found: list[Judged], row_id: str, raw: Raw) -> Iterator[Row]:
    """Do the sentences disagree? Both sides by all voters, or two sentences of one and no vote for the other."""
    verdicts = Counter(item.verdict for item in found if item.verdict)
    seen = {name for item in found for name in item.votes} - {"not enough"}
    disputed, agreed = len(verdicts) == 2, len(seen) == 1 and verdicts.total() >= 2
    if len(found) == 5 and (disputed or agreed):
        texts = [f"{item.article}: {item.text}" for item in shuffled(found, row_id, "conflict")]
        yield made("evidence", {"claim": claim, "evidence": texts}, "conflict", disputed, f"{row_id}-all", raw)


def enough(
    claim: str, found: list[Judged], settling: list[Judged], leaving: list[Judged], row_id: str, raw: Raw
) -> Iterator[Row]:
    """Can the claim be checked from three sentences? One of them settles it, or all leave it open."""
    if settling and len(leaving) >= PASSAGES - 1:
        chosen = [pick(settling, row_id, "one"), *shuffled(leaving, row_id, "rest")[: PASSAGES - 1]]
    elif len(leaving) >= PASSAGES and not settling and len(found) == 5 and draw(row_id, "kept") < OPEN_KEPT:
        chosen = shuffled(leaving, row_id, "rest")[:PASSAGES]
    else:
        return
    passages = [item.page for item in shuffled(chosen, row_id, "order")]
    state: State = {"question": asked(claim), "passages": passages}
    yield made("evidence_sufficiency", state, "passages_answer", bool(settling), row_id, raw)


def gain(claim: str, settling: list[Judged], leaving: list[Judged], row_id: str, raw: Raw) -> Iterator[Row]:
    """Does a new sentence add what is needed? Beside the same one that leaves the claim open."""
    if not settling or len(leaving) < 2:
        return
    known, idle, *_ = shuffled(leaving, row_id, "gain")
    for name, new in (("new", pick(settling, row_id, "new")), ("nothing", idle)):
        state: State = {"question": asked(claim), "evidence": [known.page], "new_page": new.page}
        yield made("marginal_gain", state, "useful", name == "new", f"{row_id}-{name}", raw)


def made(capability: str, state: State, question_id: str, gold: bool, row_id: str, raw: Raw) -> Row:
    """Row with one noul question whose answer follows from the votes."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability=capability,
        language="en",
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        tier="derived",
        origin="derived",
        split=raw.split,
        mother=str(raw["claim_id"]),
        group_keys=(f"claim:{raw['claim']}",),
    )


def beside(one: Row, mother: str) -> Row:
    """Row of the claims recipe as one of several of its record."""
    return msgspec.structs.replace(one, mother=mother)


SOURCES = (
    Source(
        name="climate_fever", home="https://github.com/tdiggelm/climate-fever-dataset",
        licence="for research, with citation; no licence file", licence_class="research",
        languages=("en",), capabilities=("evidence", "evidence_sufficiency", "marginal_gain"),
        rows=to_rows, files=(File(name="climate-fever.jsonl"),),
    ),
)  # fmt: skip
