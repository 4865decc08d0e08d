"""Plain query sets: NQ-open, Multi-CPR and the query sets of generative search, spoilt by rule to ask about noise."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

from searchjev.digest import draw
from searchjev.recipes.noise import Neighbours, noise_row, rewrite_row
from searchjev.schema import Language
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

LONGEST = 300
"""Characters above which a query is left out."""

Query = Callable[[Raw], str]


def cell(place: int) -> Query:
    """Reader of the query in one cell of a line; empty where the line is shorter."""
    return lambda raw: raw.value[place].strip() if len(raw.value) > place else ""


def field(*names: str) -> Query:
    """Reader of the query in the first of some fields that is there."""
    return lambda raw: next((str(raw[name]).strip() for name in names if raw.get(name)), "")


def key_of(raw: Raw) -> str:
    """Id of a record: its file's path without the ending, and its line."""
    return f"{raw.file.rsplit('.', 1)[0].replace('/', '-')}-{raw.line}"


def prepare_for(
    files: tuple[File, ...], query: Query, language: Language, kept: float, rewrites: float
) -> Callable[[Files], Rows]:
    """Prepare function of a set: a share of its queries is kept, and of those a share is asked about as a rewrite."""

    def rows_of(raw: Raw, text: str, neighbours: Neighbours) -> Row | None:
        key = key_of(raw)
        if draw(key, "rewrite") < rewrites:
            return rewrite_row(raw, key, text, neighbours.of(text, 3), language)
        return noise_row(raw, key, text, language)

    def prepare(given: Files) -> Rows:
        texts = [query(raw) for file in files for raw in given.read(file.name)] if rewrites else []
        neighbours = Neighbours([text for text in texts if text])

        def to_rows(raw: Raw) -> Iterator[Row | Drop]:
            text = query(raw)
            if not text or len(text) > LONGEST:
                yield Drop("no query, or longer than 300 characters")
            elif draw(key_of(raw), "kept") >= kept:
                yield Drop("thinned out")
            else:
                yield rows_of(raw, text, neighbours) or Drop("too short to spoil, or too few similar queries")

        return to_rows

    return prepare


def source(
    name: str,
    home: str,
    licence: tuple[str, Literal["open", "research", "unknown"]],
    files: tuple[File, ...],
    prepare: Callable[[Files], Rows],
    **more: Any,  # noqa: ANN401 - further fields of Source
) -> Source:
    """Declare a query set; English, for noise and rewrites, unless `more` says otherwise."""
    given = {"languages": ("en",), "capabilities": ("query_noise", "rewrite"), **more}
    return Source(
        name=name, home=home, licence=licence[0], licence_class=licence[1], files=files, prepare=prepare, **given
    )


NQ_OPEN = (
    File(name="topics.nq.dev.txt", reader="tsv_plain"),
    File(name="topics.dpr.nq.test.txt", reader="tsv_plain", split="test"),
)
MULTI_CPR = (
    File(name="ecom/train.query.txt", reader="tsv_plain", split="train"),
    File(name="ecom/dev.query.txt", reader="tsv_plain", split="val"),
    File(name="video/train.query.txt", reader="tsv_plain", split="train"),
    File(name="video/dev.query.txt", reader="tsv_plain", split="val"),
    File(name="medical/dev.query.txt", reader="tsv_plain", split="val"),
)
GENENGINE = (File(name="allsouls.jsonl", split="test"), File(name="davinci-debate-1k.jsonl", split="test"))

SOURCES = (
    source(
        "nq_open",
        "https://ai.google.com/research/NaturalQuestions",
        ("CC-BY-SA-3.0", "open"),
        NQ_OPEN,
        prepare_for(NQ_OPEN, cell(0), "en", 0.7, 0.4),
        note="the published train file is not used: its dev file trains",
    ),
    source(
        "multi_cpr_queries",
        "https://github.com/Alibaba-NLP/Multi-CPR",
        ("unstated", "unknown"),
        MULTI_CPR,
        prepare_for(MULTI_CPR, cell(1), "zh", 0.6, 0.35),
        languages=("zh",),
    ),
    source(
        "genengine_queries",
        "https://github.com/nelson-liu/evaluating-verifiability-in-generative-search-engines",
        ("MIT", "open"),
        GENENGINE,
        prepare_for(GENENGINE, field("query", "prompt_text"), "en", 1.0, 0.0),
        capabilities=("query_noise",),
        held_out="test",
    ),
)
