"""Claims with evidence: FEVER (ERASER form), HealthVer."""

from collections.abc import Iterator, Mapping

import msgspec

from searchjev.digest import draw, pick
from searchjev.recipes.claims import FEVER, claim_row, plain
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

HEALTH: Mapping[str, str] = {"Supports": "supported", "Refutes": "refuted", "Neutral": "not enough"}


def fever_rows(found: Files) -> Rows:
    """First evidence group of a claim or, for three claims in ten, another sentence that does not settle it.

    ERASER leaves out the claims without enough evidence, so the third verdict is made here. A supported claim gets
    another sentence of its page, one that lacks a word of the proof; a refuted one, which any sentence of its page may
    well refute, gets a sentence of another page.
    """
    pages = {raw["docid"]: raw["text"].split("\n") for raw in found.read("docs.jsonl")}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        gold = FEVER.get(raw["classification"])
        if gold is None or not raw["evidences"]:
            yield Drop("no verdict or evidence")
            return
        row_id, keys = raw["annotation_id"], [f"page:{page}" for page in raw["docids"]]
        evidence = [plain(sentence["text"]) for sentence in raw["evidences"][0]]
        if len(evidence) > 3:
            yield Drop("over three sentences")
        elif draw("fever_eraser", row_id) < 0.7:
            yield claim_row(raw["query"], evidence, gold, row_id, raw.split, *keys)
        elif len(evidence) > 1 or not (others := _unsettling(raw, pages, is_refuted=gold == "refuted")):
            yield Drop("no other sentence that leaves the claim open")
        else:
            row = claim_row(raw["query"], [pick(others, row_id, "other")], "not enough", row_id, raw.split, *keys)
            yield msgspec.structs.replace(row, tier="constructed", origin="derived")

    return rows


def _unsettling(raw: Raw, pages: Mapping[str, list[str]], *, is_refuted: bool) -> list[str]:
    shown = {sentence["text"].strip() for group in raw["evidences"] for sentence in group}
    if is_refuted:
        elsewhere = sorted(set(pages) - set(raw["docids"]))
        sentences = pages[pick(elsewhere, raw["annotation_id"], "page")] if elsewhere else []
    else:
        sentences = [text for page in raw["docids"] for text in pages.get(page, [])[1:]]
    proof = _words(raw["evidences"][0][0]["text"]) & _words(raw["query"])
    return [
        plain(text)
        for text in sentences
        if text.strip() not in shown and 40 <= len(text) <= 400 and (is_refuted or not proof <= _words(text))
    ]


def _words(text: str) -> set[str]:
    return {word.lower() for word in text.replace(".", " ").split() if len(word) > 3}


def health_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claims about health with one piece of evidence."""
    gold = HEALTH.get(raw["label"])
    if gold is None:
        yield Drop("no verdict")
    else:
        yield claim_row(raw["claim"], [raw["evidence"]], gold, f"{raw.file}-{raw['id']}", None)


SOURCES = (
    Source(
        name="fever_eraser", version=2, home="https://www.eraserbenchmark.com",
        licence="CC-BY-SA-3.0", licence_class="open",
        languages=("en",), capabilities=("evidence",), prepare=fever_rows,
        files=(File(name="val.jsonl"), File(name="test.jsonl", split="test"), File(name="docs.jsonl", joined=True)),
    ),
    Source(
        name="health_ver", version=2, home="https://github.com/sarrouti/HealthVer",
        licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("evidence",), held_out="test", rows=health_rows,
        files=(File(name="healthver_dev.csv", reader="csv"), File(name="healthver_test.csv", reader="csv")),
    ),
)  # fmt: skip
