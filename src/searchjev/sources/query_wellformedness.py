"""Query well-formedness: search queries each judged well formed or not by five people (Faruqui and Das 2018)."""

from collections.abc import Iterator

from searchjev.digest import draw
from searchjev.recipes.noise import noise_row
from searchjev.schema import Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Source

KEPT = 0.2
"""Share of the 25,100 queries that is used."""

WELL_FORMED = 0.8
NOISE_SHARE = 0.5
"""Share of the well-formed queries that are spoilt by rule instead of asked about as they are."""

LEVELS = ("poorly formed", "partly well formed", "well formed")


def rated_row(raw: Raw, key: str, text: str, rating: float) -> Row:
    """Row of one query: its share of votes as the probability of a clear question, and a level by thirds."""
    questions: dict[str, Question] = {"clear_question": Noul(), "well_formed": Score(list(LEVELS))}
    level = 2 if rating >= WELL_FORMED else 1 if rating > 0.3 else 0
    return Row(
        upstream_id=key,
        capability="query_info",
        language="en",
        state={"query": text},
        questions=questions,
        answers={
            "clear_question": target(questions["clear_question"], rating),
            "well_formed": target(questions["well_formed"], level),
        },
        split=raw.split,
        group_keys=(f"text:{text}",),
        agreement={"clear_question": round(max(rating, 1 - rating), 4)},
    )


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of a kept query; half of the well-formed ones are asked about as noise."""
    if len(raw.value) != 2 or not raw.value[0].strip():
        yield Drop("not a query and its rating")
        return
    text, rating = raw.value[0].strip(), float(raw.value[1])
    key = f"{raw.file.split('.')[0]}-{raw.line}"
    if draw(key, "kept") >= KEPT:
        yield Drop("thinned out")
    elif rating >= WELL_FORMED and draw(key, "noise") < NOISE_SHARE:
        yield noise_row(raw, key, text, "en") or Drop("too short to spoil")
    else:
        yield rated_row(raw, key, text, rating)


SOURCES = (
    Source(
        name="query_wellformedness",
        home="https://github.com/google-research-datasets/query-wellformedness",
        licence="CC-BY-SA-4.0",
        licence_class="open",
        languages=("en",),
        capabilities=("query_info", "query_noise"),
        files=(
            File(name="train.tsv", reader="tsv_plain", split="train"),
            File(name="dev.tsv", reader="tsv_plain", split="val"),
            File(name="test.tsv", reader="tsv_plain", split="test"),
        ),
        rows=to_rows,
    ),
)
