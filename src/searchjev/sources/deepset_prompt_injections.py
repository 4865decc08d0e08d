"""deepset prompt injections: short texts, some of which try to give the reading model orders."""

import re
from collections.abc import Iterator

from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

LABELS = {"INJECTION": True, "LEGIT": False}
_GERMAN = re.compile(
    r"\b(?:und|der|die|das|ist|nicht|wie|was|ich|ein|eine|für|über|sie|wir|mit|auf)\b|[äöüß]", re.IGNORECASE
)


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one text; mostly German ones are dropped, for the questions are English."""
    text = raw["text"].strip()
    if raw["label"] not in LABELS or not text:
        yield Drop("no label or no text")
        return
    if len(_GERMAN.findall(text)) * 8 > len(text.split()):
        yield Drop("German")
        return
    question = Noul()
    yield Row(
        upstream_id=str(raw["id"]),
        capability="failure_recovery",
        language="en",
        state={"page": {"text": text}},
        questions={"injection": question},
        answers={"injection": target(question, LABELS[raw["label"]])},
    )


SOURCES = (
    Source(
        name="deepset_prompt_injections",
        home="https://huggingface.co/datasets/deepset/prompt-injections",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("failure_recovery",),
        files=(File(name="deepset.jsonl"),),
        rows=to_rows,
    ),
)
