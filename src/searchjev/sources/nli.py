"""Natural language inference in Chinese: OCNLI, CMNLI, a translated SNLI."""

from collections import Counter
from collections.abc import Iterator, Mapping

from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Raw, Row, Source

LABELS = ("entailment", "neutral", "contradiction")


def nli_row(premise: str, hypothesis: str, gold: str | Mapping[str, float], raw: Raw) -> Row:
    """Ask whether the premise supports the hypothesis, leaves it open, or contradicts it."""
    question = Choice(dict.fromkeys(LABELS))
    return Row(
        upstream_id=f"{raw.file}-{raw.line}",
        capability="nli",
        language="zh",
        state={"premise": premise, "hypothesis": hypothesis},
        questions={"nli": question},
        answers={"nli": target(question, gold)},
        split=raw.split,
        group_keys=(f"text:{premise}",),
    )


def ocnli_rows(raw: Raw) -> Iterator[Row | Drop]:
    """OCNLI: the annotators' spread where there are five, "-" (no majority) dropped."""
    votes = Counter(vote for n in range(5) if (vote := raw.get(f"label{n}")) in LABELS)
    if raw["label"] not in LABELS:
        yield Drop("no majority")
    elif len(votes) > 1:
        yield nli_row(raw["sentence1"], raw["sentence2"], {name: float(votes[name]) for name in votes}, raw)
    else:
        yield nli_row(raw["sentence1"], raw["sentence2"], raw["label"], raw)


def tab_rows(raw: Raw) -> Iterator[Row | Drop]:
    """`premise TAB hypothesis TAB label`."""
    cells = raw.value
    if len(cells) != 3 or cells[2] not in LABELS:
        yield Drop("not two texts and a label")
    else:
        yield nli_row(cells[0], cells[1], cells[2], raw)


SOURCES = (
    Source(
        name="ocnli", home="https://github.com/CLUEbenchmark/OCNLI", licence="CC-BY-NC-2.0", licence_class="research",
        languages=("zh",), capabilities=("nli",), rows=ocnli_rows,
        files=(File(name="train.10k.json", split="train"), File(name="dev.json")),
    ),
    Source(
        name="cmnli", home="https://www.cluebenchmarks.com", licence="CLUE, research use", licence_class="research",
        languages=("zh",), capabilities=("nli",), rows=tab_rows, files=(File(name="dev.txt", reader="tsv_plain"),),
    ),
    Source(
        name="chinese_snli", home="https://github.com/zejunwang1/CSTS", licence="SNLI CC-BY-SA-4.0, translation unstated",
        licence_class="research", languages=("zh",), capabilities=("nli",), rows=tab_rows, held_out="test",
        files=(File(name="dev.txt", reader="tsv_plain"),),
    ),
)  # fmt: skip
