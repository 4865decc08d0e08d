"""WiCE: sentences of Wikipedia with the web page that they cite, supported in full, in part or not (Kamoi 2023)."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from searchjev.recipes.claims import supported_row
from searchjev.source import Drop, File, Raw, Row, Source

LABELS = ("supported", "partially_supported", "not_supported")
SENTENCES, LONGEST = 10, 2_000
_WORD = re.compile(r"\w{3,}")
_META = re.compile(r"^\(meta data\) [A-Z ]+: ")


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether an excerpt, drawn alike for every label by words shared with the claim, bears all of it out."""
    label, claim, page = raw["label"], " ".join(raw["claim"].split()), raw["evidence"]
    if label not in LABELS or not claim:
        yield Drop("no label or claim")
        return
    shown = excerpt(claim, page)
    proofs = [set(proof) for proof in raw["supporting_sentences"] if proof]
    if proofs and not any(proof <= set(shown) for proof in proofs):
        yield Drop("the excerpt lacks what the annotators went by")
        return
    evidence = [_META.sub("", page[i]).lstrip("# ") for i in shown]
    row_id, title = str(raw["meta"]["id"]), raw["meta"]["claim_title"].replace(" ", "_")
    share = float(label == "supported")
    texts = [text for text in evidence if text]
    about = {"about": raw["meta"]["claim_title"]}
    row = supported_row(claim, texts, share, row_id, raw.split, f"page:{title}", about=about)
    yield msgspec.structs.replace(row, tier="derived", origin="derived")


def excerpt(claim: str, page: Sequence[str]) -> list[int]:
    """Places of the sentences that share most words with the claim, in the order of the page, and within the length."""
    asked = set(_WORD.findall(claim.lower()))
    shared = [len(asked & set(_WORD.findall(text.lower()))) for text in page]
    chosen: list[int] = []
    for i in sorted(range(len(page)), key=lambda i: (-shared[i], i)):
        if len(chosen) < SENTENCES and sum(len(page[j]) for j in chosen) + len(page[i]) <= LONGEST:
            chosen.append(i)
    return sorted(chosen)


SOURCES = (
    Source(
        name="wice", home="https://github.com/ryokamoi/wice", licence="ODC-BY, text CC-BY-SA and Common Crawl terms",
        licence_class="open", languages=("en",), capabilities=("evidence",), rows=to_rows,
        files=(
            File(name="entailment_retrieval.claim.dev.jsonl", split="val"),
            File(name="entailment_retrieval.claim.test.jsonl", split="test"),
        ),
        note="pages are shown in excerpts; annotators saw them whole",
    ),
)  # fmt: skip
