"""ExpertQA: experts' own questions, and their judgement of each sentence and source of answers (Malaviya et al. 2023).

The kinds that experts gave their questions are left out: many a question is filed under a kind that it is not of.
Judgements of support that the passage plainly belies are dropped.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from searchjev.digest import draw
from searchjev.recipes.claims import supported_row
from searchjev.recipes.intents import class_row
from searchjev.schema import Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Source

SUPPORT: Mapping[object, bool] = {"Complete": True, "Incomplete": False, "Partial": False}
TRUST: Mapping[object, int] = {"Not reliable at all": 0, "Somewhat reliable": 1, "Reliable": 2}
LEVELS = ["not to be trusted", "mixed", "trustworthy"]
SUPPORTED_SHARE = 0.45
MOST_SHARED, LEAST_SHARED = 0.7, 0.4
"""Share of a sentence's words in the passages above which "not supported", below which "supported" is not believed."""

LONGEST = 2_000
MEDICINE = "Healthcare / Medicine"
FIELDS = (
    "Anthropology", "Architecture", "Aviation", "Biology", "Business", "Chemistry", "Classical Studies",
    "Climate Science", "Criminology", "Culinary Arts", "Economics", "Education", "Engineering and Technology",
    "Environmental Science", "Geography", MEDICINE, "History", "Journalism", "Law", "Linguistics", "Literature",
    "Mathematics", "Military or Law Enforcement", "Music", "Nuclear Science", "Philosophy", "Physics and Astronomy",
    "Political Science", "Psychology", "Sociology", "Theology", "Visual Arts",
)  # fmt: skip
NEIGHBOURS: tuple[frozenset[str], ...] = tuple(
    map(frozenset, (
        ("Law", "Criminology", "Military or Law Enforcement", "Political Science"), ("Business", "Economics"),
        (MEDICINE, "Psychology", "Biology"), ("Architecture", "Engineering and Technology", "Visual Arts"),
        ("Chemistry", "Biology", "Environmental Science", "Climate Science", "Geography"),
        ("Linguistics", "Literature"),
        ("History", "Classical Studies", "Anthropology", "Sociology", "Theology", "Philosophy", "Political Science"),
        ("Physics and Astronomy", "Nuclear Science", "Engineering and Technology", "Mathematics", "Aviation"),
        ("Education", "Psychology"),
    ))
)  # fmt: skip
"""Fields between which a question may well belong to either: of these only the expert's own is offered."""

_WORD = re.compile(r"[^\W_]{4,}")
_MARK = re.compile(r"\s?\[\d+\]")
_LEAD = re.compile(r"^\s*\[\d+\]\s*")


class Piece(msgspec.Struct, frozen=True):
    """One cited source of a sentence: its site, and the passage shown, which may be empty."""

    site: str
    passage: str


def piece_of(text: str) -> Piece:
    """Source as cited: a number, an address and, below it, a passage."""
    address, _, passage = _LEAD.sub("", text).partition("\n\n")
    site = urlsplit(address.strip()).netloc.removeprefix("www.").lower()
    return Piece(site, " ".join(passage.replace("\x07", "").replace("○", "").split()))


def sentence_of(claim: Mapping[str, Any]) -> str:
    """Sentence without the marks of its sources and of its layout."""
    return _MARK.sub("", str(claim.get("claim_string") or "")).replace("**", "").replace(" .", ".").strip(" -\n")


def shared_share(sentence: str, passages: str) -> float:
    """Share of a sentence's longer words that the passages hold too."""
    words, told = set(_WORD.findall(sentence.lower())), set(_WORD.findall(passages.lower()))
    return len(words & told) / max(1, len(words))


def support_row(claim: Mapping[str, Any], sentence: str, pieces: list[Piece], row_id: str, *keys: str) -> Row | None:
    """Whether the passages support a sentence, as the expert says; a digest keeps under half of those that do."""
    holds = SUPPORT.get(claim.get("support"))
    passages = [piece.passage for piece in pieces]
    if holds is None or not passages or min(map(len, passages)) <= 60 or sum(map(len, passages)) > LONGEST:
        return None
    shared = shared_share(sentence, " ".join(passages))
    if shared < LEAST_SHARED if holds else shared > MOST_SHARED:
        return None
    if holds and draw("expertqa", row_id, "support") >= SUPPORTED_SHARE:
        return None
    row = supported_row(sentence, passages, float(holds), row_id, None, *keys)
    return msgspec.structs.replace(row, mother=keys[0])


def trust_rows(claims: list[tuple[dict[str, Any], list[Piece]]], question: str, row_id: str) -> Iterator[Row]:
    """How far each site can be trusted, where all the expert's judgements of it for this question agree."""
    found: dict[str, set[int]] = defaultdict(set)
    for claim, pieces in claims:
        level = TRUST.get(claim.get("reliability"))
        if level is not None and len(pieces) == 1 and pieces[0].site:
            found[pieces[0].site].add(level)
    for site, levels in found.items():
        if len(levels) == 1:
            yield trust_row(question, site, levels.pop(), f"{row_id}-{site}", row_id)


def trust_row(asked: str, site: str, level: int, row_id: str, mother: str) -> Row:
    """Ask how far a site can be trusted on a question and, at the ends of the scale, whether it can."""
    questions: dict[str, Question] = {"trust": Score([*LEVELS])}
    answers = {"trust": target(questions["trust"], level)}
    if level != 1:
        questions["reliable"] = Noul()
        answers["reliable"] = target(questions["reliable"], level == 2)
    return Row(
        upstream_id=row_id, capability="qd_quality", language="en", state={"question": asked, "site": site},
        questions=questions, answers=answers, mother=mother, group_keys=(f"text:{asked}", f"site:{site}"),
    )  # fmt: skip


def answer_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every sentence of an answer, and of its sites."""
    asked, row_id = raw["question"].strip(), f"{raw.file.removesuffix('.jsonl')}-{raw.line}"
    claims = [claim for answer in raw["answers"].values() for claim in answer["claims"]]
    pieces = [[piece_of(text) for text in claim.get("evidence") or []] for claim in claims]
    found: list[Row | None] = []
    for place, (claim, cited) in enumerate(zip(claims, pieces, strict=True)):
        sentence = sentence_of(claim)
        if len(sentence.split()) < 5 or sentence.endswith(":"):
            continue
        key = f"{row_id}-{place}"
        found.append(support_row(claim, sentence, cited, key, f"expertqa:{row_id}", f"text:{asked}"))
    rows = [row for row in found if row] + list(trust_rows(list(zip(claims, pieces, strict=True)), asked, row_id))
    yield from rows
    if not rows:
        yield Drop("nothing judged or drawn")


def field_row(raw: Raw) -> Row | Drop:
    """Which field a question belongs to, by the expert who asks it."""
    field, asked = raw["metadata"]["field"].strip(), " ".join(raw["question"].split())
    field = MEDICINE if field == "Medicine" else field
    if field not in FIELDS or len(asked.split()) < 4:
        return Drop("no field, or hardly a question")
    near = {name for group in NEIGHBOURS if field in group for name in group}
    names = [name for name in FIELDS if name == field or name not in near]
    row = class_row(
        "query_classification", "domain", asked, field, names, upstream_id=f"field-{raw.line}", language="en",
        split=None, fewest=4, most=10,
    )  # fmt: skip
    return msgspec.structs.replace(row, tier="weak")


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of a judged answer, or the row of a bare question."""
    if raw["answers"]:
        yield from answer_rows(raw)
    else:
        yield field_row(raw)


SOURCES = (
    Source(
        name="expertqa", home="https://github.com/chaitanyamalaviya/ExpertQA", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("evidence", "qd_quality", "query_classification"),
        rows=to_rows,
        files=(File(name="r1_data_anon.jsonl"), File(name="rand_val.jsonl"), File(name="rand_test.jsonl")),
    ),
)  # fmt: skip
