"""Fool Me Twice: claims that players wrote to mislead each other, with the sentences that decide them (2021)."""

from collections.abc import Iterator

from searchjev.recipes.claims import FEVER, checked_row
from searchjev.source import Drop, File, Raw, Row, Source


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim about one page with the sentences its writer picked; claims about the same page stay together."""
    gold = FEVER.get(str(raw.get("label")))
    claim, page = (" ".join(str(raw.get(name) or "").split()) for name in ("text", "wikipedia_page"))
    evidence = [text for item in raw["gold_evidence"] if (text := " ".join(item["text"].split()))]
    if not page:
        yield Drop("no page")
        return
    # claims and sentences say "it" and "he" of the page's subject
    key = f"page:{page.replace(' ', '_')}"
    yield checked_row(claim, evidence, gold, str(raw["id"]), raw.split, key, about={"about": page})


SOURCES = (
    Source(
        name="fool_me_twice", home="https://github.com/google-research/fool-me-twice",
        licence="Apache-2.0, evidence CC-BY-SA", licence_class="open",
        languages=("en",), capabilities=("evidence",), rows=to_rows,
        files=(File(name="dev.jsonl", split="val"), File(name="test.jsonl", split="test")),
    ),
)  # fmt: skip
