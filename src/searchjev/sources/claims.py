"""Claims with evidence: FEVER (ERASER form), HealthVer."""

from collections.abc import Iterator, Mapping

from searchjev.digest import draw
from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Raw, Row, Source, SplitName

LABELS = ("supported", "refuted", "not enough")
FEVER: Mapping[str, str] = {"SUPPORTS": "supported", "REFUTES": "refuted"}
HEALTH: Mapping[str, str] = {"Supports": "supported", "Refutes": "refuted", "Neutral": "not enough"}
TOKENISED = (
    ("-LRB- ", "("), (" -RRB-", ")"), ("-LSB- ", "["), (" -RSB-", "]"), (" ,", ","), (" .", "."), (" 's", "'s"),
    ("`` ", '"'), (" ''", '"'), (" ;", ";"), (" :", ":"),
)  # fmt: skip


def claim_row(claim: str, evidence: list[str], gold: str, row_id: str, split: SplitName | None, *keys: str) -> Row:
    """Ask what the evidence says of the claim."""
    question = Choice(dict.fromkeys(LABELS))
    return Row(
        upstream_id=row_id,
        capability="evidence",
        language="en",
        state={"claim": claim, "evidence": evidence},
        questions={"verdict": question},
        answers={"verdict": target(question, gold)},
        split=split,
        group_keys=(f"claim:{claim}", *keys),
    )


def plain(text: str) -> str:
    """Tokenised text as it is written."""
    for old, new in TOKENISED:
        text = text.replace(old, new)
    return text


def fever_rows(raw: Raw) -> Iterator[Row | Drop]:
    """First evidence group of a claim, up to three sentences."""
    gold = FEVER.get(raw["classification"])
    if gold is None or not raw["evidences"]:
        yield Drop("no verdict or evidence")
        return
    evidence = [plain(sentence["text"]) for sentence in raw["evidences"][0]]
    if len(evidence) > 3:
        yield Drop("over three sentences")
    elif draw("fever_eraser", raw["annotation_id"]) < 0.7:
        keys = [f"page:{page}" for page in raw["docids"]]
        yield claim_row(raw["query"], evidence, gold, raw["annotation_id"], raw.split, *keys)
    else:
        yield Drop("not drawn")


def health_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claims about health with one piece of evidence."""
    gold = HEALTH.get(raw["label"])
    if gold is None:
        yield Drop("no verdict")
    else:
        yield claim_row(raw["claim"], [raw["evidence"]], gold, f"{raw.file}-{raw['id']}", None)


SOURCES = (
    Source(
        name="fever_eraser", home="https://www.eraserbenchmark.com", licence="CC-BY-SA-3.0", licence_class="open",
        languages=("en",), capabilities=("evidence",), rows=fever_rows,
        files=(File(name="val.jsonl"), File(name="test.jsonl", split="test")),
    ),
    Source(
        name="health_ver", home="https://github.com/sarrouti/HealthVer", licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("evidence",), held_out="test", rows=health_rows,
        files=(File(name="healthver_dev.csv", reader="csv"), File(name="healthver_test.csv", reader="csv")),
    ),
)  # fmt: skip
