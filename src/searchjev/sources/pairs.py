"""Pair sets: two questions, utterances or sentences and whether they mean the same (LCQMC, AFQMC, ATEC, PAWS-X ...)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from searchjev.digest import draw
from searchjev.schema import Language, Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Rows, Source

SIMILARITY = ("unrelated", "same topic", "share details", "roughly equal", "nearly equal", "equal")
REWRITE_SHARE = 0.3
"""Share of the query pairs of a set for both capabilities that are asked about as a rewrite."""


class Pair(NamedTuple):
    """One pair as its record gives it; `label` as the file spells it."""

    key: str
    first: str
    second: str
    label: str


Read = Callable[[Raw], Pair | None]


def cells(first: int, second: int, label: int, key: int | None = None) -> Read:
    """Reader of a pair from a line of cells, numbered from 0."""

    def read(raw: Raw) -> Pair | None:
        values = [str(cell).replace("\ufeff", "").strip() for cell in raw.value]
        if len(values) != len({first, second, label, key} - {None}):
            return None
        return Pair(key_of(raw, None if key is None else values[key]), values[first], values[second], values[label])

    return read


def fields(first: str, second: str, label: str, key: str | None = None) -> Read:
    """Reader of a pair from a record with named fields."""

    def read(raw: Raw) -> Pair | None:
        if any(not isinstance(raw.get(name), str | int) for name in (first, second, label)):
            return None
        value = None if key is None else str(raw[key])
        return Pair(key_of(raw, value), str(raw[first]).strip(), str(raw[second]).strip(), str(raw[label]).strip())

    return read


def key_of(raw: Raw, value: str | None) -> str:
    """Id of a record: the file's stem with the published id, or with the line."""
    stem = raw.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return f"{stem}-{raw.line if value is None else value}"


def fault(pair: Pair | None, labels: Sequence[str]) -> str | None:
    """Why a pair gives no row; None when it does."""
    if pair is None:
        return "not a pair with a label"
    if not pair.first or not pair.second or "NS" in (pair.first, pair.second):
        return "empty sentence"
    if pair.label not in labels:
        return "unknown label"
    return "a sentence paired with itself" if pair.first == pair.second else None


def texts(pair: Pair) -> tuple[str, ...]:
    """Group keys of both sentences."""
    return (f"text:{pair.first}", f"text:{pair.second}")


def same_rows(
    read: Read,
    field: str,
    *,
    language: Language = "zh",
    template: str = "same",
    rewrites: float = 0.0,
) -> Rows:
    """Rows that ask whether a pair means the same; a share of them whether the second keeps the first's intent."""

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        pair = read(raw)
        reason = fault(pair, ("0", "1"))
        if pair is None or reason:
            yield Drop(reason or "not a pair with a label")
            return
        rewrite = draw(pair.first, pair.second, "rewrite") < rewrites
        name, question_id = ("rewrite", "keeps_intent") if rewrite else ("other", template)
        question = Noul()
        yield Row(
            upstream_id=pair.key,
            capability="rewrite" if rewrite else "intent_equivalence",
            language=language,
            state={field: pair.first, name: pair.second},
            questions={question_id: question},
            answers={question_id: target(question, pair.label == "1")},
            split=raw.split,
            group_keys=texts(pair),
        )

    return to_rows


def graded(raw: Raw) -> Iterator[Row | Drop]:
    """Row of a pair rated 0 to 5: the level, and whether both say the same where the rating is clear."""
    pair = cells(0, 1, 2)(raw)
    reason = fault(pair, ("0", "1", "2", "3", "4", "5"))
    if pair is None or reason:
        yield Drop(reason or "not a pair with a label")
        return
    level = int(pair.label)
    questions: dict[str, Question] = {"similarity": Score(list(SIMILARITY))}
    gold: dict[str, Any] = {"similarity": level}
    if level >= 4 or level <= 2:
        questions["paraphrase"], gold["paraphrase"] = Noul(), level >= 4
    yield Row(
        upstream_id=pair.key,
        capability="intent_equivalence",
        language="zh",
        state={"claim": pair.first, "other": pair.second},
        questions=questions,
        answers={name: target(question, gold[name]) for name, question in questions.items()},
        split=raw.split,
        group_keys=texts(pair),
    )


def source(
    name: str,
    home: str,
    licence: tuple[str, Literal["open", "research", "unknown"]],
    files: tuple[File, ...],
    rows: Rows,
    **more: Any,  # noqa: ANN401 - further fields of Source
) -> Source:
    """Declare a pair set; Chinese and for intent equivalence unless `more` says otherwise."""
    given = {"languages": ("zh",), "capabilities": ("intent_equivalence",), **more}
    return Source(name=name, home=home, licence=licence[0], licence_class=licence[1], files=files, rows=rows, **given)


_THREE = cells(0, 1, 2)

SOURCES = (
    source(
        "lcqmc",
        "https://aclanthology.org/C18-1166",
        ("HIT-SZ licence on request, research use", "research"),
        (File(name="dev.txt", reader="tsv_plain"), File(name="test.txt", reader="tsv_plain", split="test")),
        same_rows(_THREE, "question"),
        note="the published train file is not used: its dev file trains",
    ),
    source(
        "afqmc",
        "https://github.com/CLUEbenchmark/CLUE",
        ("CLUE benchmark data, research use", "research"),
        (
            File(name="train.txt", reader="tsv_plain", split="train"),
            File(name="dev.txt", reader="tsv_plain", split="val"),
        ),
        same_rows(_THREE, "question"),
    ),
    source(
        "chip_sts",
        "https://github.com/CBLUEbenchmark/CBLUE",
        ("CBLUE data, research use", "research"),
        (
            File(name="CHIP-STS_train.json", reader="json", split="train"),
            File(name="CHIP-STS_dev.json", reader="json", split="val"),
        ),
        same_rows(fields("text1", "text2", "label", "id"), "question"),
    ),
    source(
        "pawsx_zh",
        "https://github.com/google-research-datasets/paws",
        ("free for any purpose with attribution", "open"),
        (File(name="dev_2k.tsv", reader="tsv"), File(name="test_2k.tsv", reader="tsv", split="test")),
        same_rows(fields("sentence1", "sentence2", "label", "id"), "claim", template="paraphrase"),
        note="the machine-translated train file is not used: its dev file trains",
    ),
    source(
        "bq_corpus",
        "https://aclanthology.org/D18-1536",
        ("HIT-SZ and WeBank licence on request, research use", "research"),
        (File(name="dev.csv", reader="csv", split="val"), File(name="test.csv", reader="csv", split="test")),
        same_rows(fields("sentence1", "sentence2", "label"), "question"),
        held_out="test",
    ),
    source(
        "sts_b_zh",
        "https://github.com/pluto-junzeng/CNSD",
        ("unstated", "unknown"),
        (
            File(name="sts-b-dev.txt", reader="tsv_plain", split="val"),
            File(name="sts-b-test.txt", reader="tsv_plain", split="test"),
        ),
        graded,
        held_out="val",
    ),
    source(
        "msr_paraphrase",
        "https://www.microsoft.com/en-us/download/details.aspx?id=52398",
        ("MSR shared source licence, research use", "research"),
        (
            File(name="msr-para-train.tsv", reader="tsv", split="train"),
            File(name="msr-para-test.tsv", reader="tsv", split="test"),
        ),
        same_rows(fields("#1 String", "#2 String", "Quality"), "claim", language="en", template="paraphrase"),
        languages=("en",),
    ),
    source(
        "oppo_xiaobu",
        "https://tianchi.aliyun.com/competition/entrance/531851",
        ("competition data, terms unstated", "unknown"),
        (File(name="dev.txt", reader="tsv_plain"),),
        same_rows(_THREE, "utterance"),
        note="the published train file is not used: its dev file trains",
    ),
    source(
        "bustm",
        "https://github.com/CLUEbenchmark/FewCLUE",
        ("FewCLUE, research use", "research"),
        (
            File(name="train_few_all.json", split="train"),
            File(name="test_public.json", split="test"),
        ),
        same_rows(fields("sentence1", "sentence2", "label", "id"), "utterance"),
    ),
    source(
        "atec",
        "https://github.com/IceFlameWorm/NLP_Datasets",
        ("competition data, terms unstated", "unknown"),
        (File(name="atec_nlp_sim_train.csv", reader="tsv_plain", split="train"),),
        same_rows(cells(1, 2, 3, 0), "question"),
    ),
    source(
        "cmedqq",
        "https://github.com/alibaba-research/ChineseBLUE",
        ("Apache-2.0", "open"),
        (
            File(name="cMedQQ_train.txt", reader="tsv_plain", split="train"),
            File(name="cMedQQ_dev.txt", reader="tsv_plain", split="val"),
        ),
        same_rows(cells(1, 2, 0), "query", rewrites=REWRITE_SHARE),
        capabilities=("intent_equivalence", "rewrite"),
    ),
)
