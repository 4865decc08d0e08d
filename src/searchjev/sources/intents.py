"""English utterances with one intent of many: CLINC150, Banking77, HWU64; and the TREC question classes."""

from collections.abc import Iterator, Mapping
from functools import partial

from searchjev.digest import draw, shuffled
from searchjev.recipes.intents import Near, class_row, readable
from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source, SplitName

CLINC_SHARE = 0.16
CLINC_OUT_OF_SCOPE = 0.4
DOMAIN_SHARE = 0.06
TREC_CLASSES: Mapping[str, str] = {
    "ABBR": "abbreviation", "DESC": "description", "ENTY": "entity", "HUM": "person", "LOC": "location",
    "NUM": "number",
}  # fmt: skip


class Clinc:
    """The intents of CLINC150 with their domains."""

    def __init__(self, found: Files) -> None:
        domains = next(found.read("domains.json")).value
        self.domain_of = {readable(name): readable(domain) for domain, names in domains.items() for name in names}
        self.names = sorted(self.domain_of)
        self.domains = sorted(set(self.domain_of.values()))

    def near(self, name: str) -> list[str]:
        """Intents of the same domain."""
        return [other for other in self.names if self.domain_of[other] == self.domain_of[name]]

    def rows(self, raw: Raw) -> Iterator[Row | Drop]:
        """Rows of every list of the one JSON object."""
        for part, items in raw.value.items():
            split: SplitName = "train" if "train" in part else ("val" if "val" in part else "test")
            for n, (text, label) in enumerate(items):
                yield self.row(text, label, f"{part}-{n}", split)

    def row(self, text: str, label: str, row_id: str, split: SplitName) -> Row | Drop:
        """Row of an intent, out of scope in a share; of some the domain."""
        gold = None if label == "oos" else readable(label)
        if not text.strip() or (gold and gold not in self.domain_of):
            return Drop("no text or an intent without a domain")
        drawn, at = CLINC_SHARE if gold else CLINC_OUT_OF_SCOPE, draw("clinc150", row_id)
        if at < drawn:
            return class_row(
                "intent", "intent", text, gold, self.names, upstream_id=row_id, language="en", split=split,
                near=self.near,
            )  # fmt: skip
        if gold and at < drawn + DOMAIN_SHARE:
            return class_row(
                "query_classification", "domain", text, self.domain_of[gold], self.domains, upstream_id=row_id,
                language="en", split=split, fewest=5, most=10,
            )  # fmt: skip
        return Drop("not drawn")


def clinc_rows(found: Files) -> Rows:
    """Rows of CLINC150, whose domains stand in a file of their own."""
    return Clinc(found).rows


def by_words(names: list[str], first: bool) -> Near:
    """Names that share a word, or the first word alone where that names the scenario."""
    words = {name: set(name.split()[:1] if first else name.split()) for name in names}
    return lambda name: [other for other in names if words[name] & words[other]]


def table_rows(label_field: str, share: float, scenario_first: bool, files: tuple[str, ...], found: Files) -> Rows:
    """Rows of tables with a text and a label column; the options are the labels of all files."""
    names = sorted({readable(raw[label_field]) for name in files for raw in found.read(name) if raw[label_field]})
    near = by_words(names, scenario_first)

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        text, label, row_id = " ".join(raw["text"].split()), raw[label_field], f"{raw.file}-{raw.line}"
        if not text or not label:
            yield Drop("empty text" if not text else "no label")
        elif draw("intents", row_id) >= share:
            yield Drop("not drawn")
        else:
            yield class_row(
                "intent", "intent", text, readable(label), names, upstream_id=row_id, language="en", split=raw.split,
                near=near,
            )  # fmt: skip

    return rows


def trec_rows(raw: Raw) -> Iterator[Row | Drop]:
    """TREC: what kind of answer does the question want."""
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
        languages=("en",), capabilities=("intent", "query_classification"), prepare=clinc_rows,
        files=(File(name="data_full.json", reader="json"), File(name="domains.json", reader="json", joined=True)),
    ),
    Source(
        name="banking77", home="https://github.com/PolyAI-LDN/task-specific-datasets", licence="CC-BY-4.0",
        licence_class="open", languages=("en",), capabilities=("intent",), files=BANKING,
        prepare=partial(table_rows, "category", 0.3, False, ("train.csv", "test.csv")),
    ),
    Source(
        name="hwu64", home="https://github.com/xliuhw/NLU-Evaluation-Data", licence="CC-BY-4.0", licence_class="open",
        languages=("en",), capabilities=("intent",), files=HWU, held_out="test",
        prepare=partial(table_rows, "label", 0.4, True, ("train.tsv", "test.tsv")),
    ),
    Source(
        name="trec_qc", home="https://cogcomp.seas.upenn.edu/Data/QA/QC", licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("query_classification",), held_out="val", rows=trec_rows,
        files=(File(name="train_5500.label", reader="lines", encoding="latin-1"),),
    ),
)  # fmt: skip
