"""FEVER Symmetric: each claim with a sentence that supports it and one that refutes it (Schuster et al. 2019)."""

from collections.abc import Iterator

from searchjev.recipes.claims import FEVER, checked_row, plain
from searchjev.source import Drop, File, Raw, Row, Source


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim with one sentence; rows that share a claim or a sentence stay together."""
    gold = FEVER.get(str(raw.get("gold_label")))
    claim, evidence = (plain(str(raw.get(name) or "")).strip() for name in ("claim", "evidence"))
    row_id = f"{raw.file.removesuffix('.jsonl')}-{raw.get('id')}-{raw.line}"
    yield checked_row(claim, [evidence], gold, row_id, raw.split, f"text:{evidence}")


SOURCES = (
    Source(
        name="fever_symmetric", home="https://github.com/TalSchuster/FeverSymmetric", licence="CC-BY-SA-3.0",
        licence_class="open", languages=("en",), capabilities=("evidence",), rows=to_rows,
        files=(
            File(name="fever_symmetric_dev.jsonl", split="val"),
            File(name="fever_symmetric_test.jsonl", split="test"),
        ),
        note="version 0.2; the generated half of version 0.1 is part of it",
    ),
)  # fmt: skip
