"""Fool Me Twice: claims that players wrote to mislead each other, with the sentences that decide them (2021)."""

from collections.abc import Iterator

from searchjev.recipes.claims import FEVER, claim_row
from searchjev.source import Drop, File, Raw, Row, Source

LONGEST = 1_500


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim about one page with the sentences its writer picked; claims about the same page stay together."""
    gold = FEVER.get(str(raw.get("label")))
    claim, page = (" ".join(str(raw.get(name) or "").split()) for name in ("text", "wikipedia_page"))
    evidence = [text for item in raw["gold_evidence"] if (text := " ".join(item["text"].split()))]
    if gold is None or not claim or not evidence or not page:
        yield Drop("no verdict, claim, page or evidence")
    elif sum(map(len, evidence)) > LONGEST:
        yield Drop("evidence over 1,500 characters")
    else:
        # claims and sentences say "it" and "he" of the page's subject
        keys = (f"page:{page.replace(' ', '_')}",)
        yield claim_row(claim, evidence, gold, str(raw["id"]), raw.split, *keys, about={"about": page})


SOURCES = (
    Source(
        name="fool_me_twice", home="https://github.com/google-research/fool-me-twice",
        licence="Apache-2.0, evidence CC-BY-SA", licence_class="open",
        languages=("en",), capabilities=("evidence",), rows=to_rows,
        files=(File(name="dev.jsonl", split="val"), File(name="test.jsonl", split="test")),
    ),
)  # fmt: skip
