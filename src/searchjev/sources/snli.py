"""English inference and polarity in small: the MNLI and SST-2 items under AdvGLUE, and a hundred pairs of e-SNLI."""

from collections.abc import Iterator, Mapping
from typing import Any

from searchjev.schema import Choice, Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

LABELS = ("entailment", "neutral", "contradiction")
MNLI_PARTS = ("mnli", "mnli-mm")
POLARITY: Mapping[int, bool] = {0: False, 1: True}


def relation_row(premise: str, hypothesis: str, gold: str, row_id: str) -> Row:
    """Ask how the hypothesis stands to the premise."""
    question = Choice(dict.fromkeys(LABELS))
    return Row(
        upstream_id=row_id,
        capability="nli",
        language="en",
        state={"premise": premise, "hypothesis": hypothesis},
        questions={"nli": question},
        answers={"nli": target(question, gold)},
        group_keys=(f"text:{premise}",),
    )


def attacked_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of SST-2 and MNLI before the attack, which at times alters the answer; an item attacked twice comes once."""
    seen: set[tuple[str, ...]] = set()
    for part, items in raw.value.items():
        for item in items:
            row_id, texts = f"{part}-{item['idx']}", unattacked(item)
            if texts and texts in seen:
                yield Drop("attacked a second time")
            elif part in MNLI_PARTS and item["label"] in range(len(LABELS)):
                yield relation_row(texts[0], texts[1], LABELS[item["label"]], row_id)
            elif part == "sst2" and item["label"] in POLARITY:
                yield tone_row(texts[0], item["label"], row_id)
            else:
                yield Drop("another task, or no label")
            seen.add(texts)


def unattacked(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Texts of an item as they were before the attack."""
    names = [name for name in ("premise", "hypothesis", "sentence") if name in item]
    return tuple(str(item.get(f"original_{name}", item[name])).strip() for name in names)


def tone_row(text: str, label: int, row_id: str) -> Row:
    """Ask whether a sentence of a film review is positive."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability="sentiment_binary",
        language="en",
        state={"review": text},
        questions={"positive": question},
        answers={"positive": target(question, POLARITY[label])},
        group_keys=(f"text:{text}",),
    )


def esnli_rows(raw: Raw) -> Iterator[Row | Drop]:
    """`premise [SEP] hypothesis` with a label."""
    premise, mark, hypothesis = raw["text"].partition(" [SEP] ")
    if not mark or raw["classification"] not in LABELS:
        yield Drop("not a pair with a label")
    else:
        yield relation_row(premise.strip(), hypothesis.strip(), raw["classification"], f"{raw.file}-{raw.line}")


SOURCES = (
    Source(
        name="adv_glue", home="https://adversarialglue.github.io", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=("nli", "sentiment_binary"), rows=attacked_rows,
        files=(File(name="dev_ann.json", reader="json"),),
    ),
    Source(
        name="esnli_mini", home="https://github.com/OanaMariaCamburu/e-SNLI", licence="CC-BY-SA-4.0",
        licence_class="open", languages=("en",), capabilities=("nli",), rows=esnli_rows,
        files=(File(name="val.csv", reader="csv"),),
    ),
)  # fmt: skip
