"""Utterances with one intent of many: CLINC150, Banking77, HWU64, KUAKE-QIC, TREC question classes."""

from collections.abc import Iterator, Mapping
from functools import partial

from searchjev.digest import digest, draw, shuffled
from searchjev.schema import Choice, Language, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, SplitName, Source

OUT_OF_SCOPE = "none of these"


def readable(name: str) -> str:
    """Intent name as words."""
    return name.replace("_", " ").replace("/", " ").strip().lower()


def intent_row(
    text: str,
    gold: str | None,
    names: list[str],
    *,
    upstream_id: str,
    split: SplitName | None,
    language: Language = "en",
    most: int = 12,
) -> Row:
    """Ask for the intent among 5 to `most` options drawn by the row's id; without a gold, none of them fits."""
    count = min(len(names), 5 + digest(upstream_id, "count") % (most - 4))
    others = [name for name in shuffled(names, upstream_id, "options") if name != gold]
    with_none = gold is None or draw(upstream_id, "none") < 0.15
    options = others[: count - 1] + ([gold] if gold else []) + ([OUT_OF_SCOPE] if with_none else [])
    question = Choice(dict.fromkeys(shuffled(options, upstream_id, "order")))
    return Row(
        upstream_id=upstream_id,
        capability="intent",
        language=language,
        state={"utterance": text},
        questions={"intent": question},
        answers={"intent": target(question, gold or OUT_OF_SCOPE)},
        split=split,
        group_keys=(f"text:{text}",),
    )


def clinc_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Every list of the one JSON object; a digest keeps a quarter of the utterances."""
    names = [readable(name) for name in sorted({intent for _, intent in raw["train"]})]
    for part, items in raw.value.items():
        split: SplitName = "train" if "train" in part else ("val" if "val" in part else "test")
        for n, (text, intent) in enumerate(items):
            row_id = f"{part}-{n}"
            if not text.strip():
                yield Drop("empty text")
            elif draw("clinc150", row_id) < 0.25:
                gold = None if intent == "oos" else readable(intent)
                yield intent_row(text, gold, names, upstream_id=row_id, split=split, most=20)


def named_rows(text_field: str, label_field: str, files: tuple[str, ...], found: Files) -> Rows:
    """Rows of tables with a text and a label column; the options are the labels of all files."""
    names = sorted({readable(raw[label_field]) for name in files for raw in found.read(name) if raw[label_field]})

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        text, label = " ".join(raw[text_field].split()), raw[label_field]
        if not text or not label:
            yield Drop("empty text" if not text else "no label")
        else:
            row_id = f"{raw.file}-{raw.line}"
            yield intent_row(text, readable(label), names, upstream_id=row_id, split=raw.split)

    return rows


QIC_SKIP = ("其他",)


def qic_rows(found: Files) -> Rows:
    """KUAKE-QIC: medical search intents; the class "other" stays out."""
    files = ("KUAKE-QIC_train.json", "KUAKE-QIC_dev.json")
    names = sorted({raw["label"] for name in files for raw in found.read(name)} - set(QIC_SKIP))

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        if raw["label"] not in names:
            yield Drop("class without meaning")
        else:
            yield intent_row(raw["query"], raw["label"], names, upstream_id=raw["id"], split=raw.split, language="zh")

    return rows


TREC_CLASSES: Mapping[str, str] = {
    "ABBR": "abbreviation", "DESC": "description", "ENTY": "entity", "HUM": "person", "LOC": "location", "NUM": "number",
}  # fmt: skip


def trec_rows(raw: Raw) -> Iterator[Row | Drop]:
    """TREC: what kind of answer does the question want?"""
    label, _, text = raw.value.partition(" ")
    coarse = TREC_CLASSES.get(label.partition(":")[0])
    if coarse is None or not text.strip():
        yield Drop("no class")
        return
    question = Choice(dict.fromkeys(shuffled(list(TREC_CLASSES.values()), raw.value)))
    yield Row(
        upstream_id=f"{raw.file}-{raw.line}",
        capability="query_classification",
        language="en",
        state={"query": text.strip()},
        questions={"answer_type": question},
        answers={"answer_type": target(question, coarse)},
        group_keys=(f"text:{text.strip()}",),
    )


BANKING = (File(name="train.csv", reader="csv", split="train"), File(name="test.csv", reader="csv", split="test"))
HWU = (File(name="train.tsv", reader="tsv"), File(name="test.tsv", reader="tsv"))

SOURCES = (
    Source(
        name="clinc150", home="https://github.com/clinc/oos-eval", licence="CC-BY-3.0", licence_class="open",
        languages=("en",), capabilities=("intent",), files=(File(name="data_full.json", reader="json"),),
        rows=clinc_rows,
    ),
    Source(
        name="banking77", home="https://github.com/PolyAI-LDN/task-specific-datasets", licence="CC-BY-4.0",
        licence_class="open", languages=("en",), capabilities=("intent",), files=BANKING,
        prepare=partial(named_rows, "text", "category", ("train.csv", "test.csv")),
    ),
    Source(
        name="hwu64", home="https://github.com/xliuhw/NLU-Evaluation-Data", licence="CC-BY-4.0", licence_class="open",
        languages=("en",), capabilities=("intent",), files=HWU, held_out="test",
        prepare=partial(named_rows, "text", "label", ("train.tsv", "test.tsv")),
    ),
    Source(
        name="kuake_qic", home="https://tianchi.aliyun.com/cblue", licence="CBLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("intent",),
        files=(
            File(name="KUAKE-QIC_train.json", reader="json", split="train"),
            File(name="KUAKE-QIC_dev.json", reader="json", split="test"),
        ),
        prepare=qic_rows,
    ),
    Source(
        name="trec_qc", home="https://cogcomp.seas.upenn.edu/Data/QA/QC", licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("query_classification",), held_out="val", rows=trec_rows,
        files=(File(name="train_5500.label", reader="lines", encoding="latin-1"),),
    ),
)  # fmt: skip
