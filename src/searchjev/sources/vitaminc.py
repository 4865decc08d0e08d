"""Claims whose evidence moves: VitaminC (Wikipedia revisions) and TrendFact (Chinese trending topics)."""

from collections.abc import Iterator, Mapping

from searchjev.recipes.claims import FEVER, checked_row, plain
from searchjev.recipes.unchecked import UNCHECKED, guarded
from searchjev.source import Drop, File, Raw, Row, Source

VERDICTS: Mapping[str, str] = {**FEVER, "NOT ENOUGH INFO": "not enough"}
TREND: Mapping[object, str] = {0: "supported", 1: "refuted", 2: "not enough"}


def vitaminc_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim with one sentence of a revision; the claims and sentences of one revision stay together."""
    gold = VERDICTS.get(str(raw.get("label")))
    claim, evidence = (plain(str(raw.get(name) or "")).strip() for name in ("claim", "evidence"))
    row_id = str(raw.get("unique_id") or f"{raw.file}-{raw.line}")
    page = str(raw.get("page") or "").replace(" ", "_")
    ties = [f"vitaminc:{raw['case_id']}"] if raw.get("case_id") else []
    yield checked_row(claim, [evidence], gold, row_id, raw.split, *ties, *([f"page:{page}"] if page else []))


def trendfact_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim of a trending topic with the evidence that its annotators judged it by; explanations stay out."""
    gold, claim, found = TREND.get(raw.get("label")), str(raw.get("claim") or "").strip(), raw.get("evidence")
    pieces = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    evidence = [piece.strip() for piece in pieces if isinstance(piece, str) and piece.strip()]
    yield checked_row(claim, evidence, gold, f"{raw.file}-{raw.line}", raw.split, language="zh")


SOURCES = (
    Source(
        name="vitaminc", home="https://github.com/TalSchuster/VitaminC", licence="CC-BY-SA-3.0", licence_class="open",
        languages=("en",), capabilities=("evidence",), rows=guarded(vitaminc_rows), note=UNCHECKED,
        files=(
            File(name="train.jsonl", split="train"),
            File(name="dev.jsonl", split="val"),
            File(name="test.jsonl", split="test"),
        ),
    ),
    Source(
        name="trendfact", home="https://github.com/zxc123cc/TrendFact", licence="CC-BY-4.0", licence_class="open",
        languages=("zh",), capabilities=("evidence",), rows=guarded(trendfact_rows),
        files=(File(name="TrendFact.json", reader="json"),),
        note=f"{UNCHECKED}; the name of the evidence field is taken from the paper",
    ),
)  # fmt: skip
