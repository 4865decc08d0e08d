"""Summaries of news checked against the article: QAGS (single sentences), parts of SummaC (sentences and wholes)."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from searchjev.digest import draw
from searchjev.recipes.claims import plain, supported_row
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

LONGEST = 3_000
SOUND = {"factcc.json": 0.5, "polytope.json": 0.25, "summeval.json": 1.0}
"""Share of the sound ones that a digest keeps of each part."""

FULL_MARK = 5
_QUOTE = re.compile(r"(?<![\w`])` ?")
_INNER = re.compile(r"(?<=\() | (?=\))")
_LETTER = re.compile(r"[^a-z]")
_LOWERED = (("â£", "£"), ("ã©", "é"), ("ã¨", "è"), ("ã²", "ò"))
"""Letters broken by a wrong encoding and then put in lower case."""


def readable(text: str) -> str:
    """Tokenised text as it is written, its broken letters mended."""
    for old, new in _LOWERED:
        text = text.replace(old, new)
    return _INNER.sub("", _QUOTE.sub("'", plain(text.replace("-lrb-", "(").replace("-rrb-", ")")))).strip()


def article_key(article: str) -> str:
    """Group key of an article, the same in every set and casing."""
    return f"article:{_LETTER.sub('', article.lower())[:60]}"


def qags_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Each sentence of a summary with the share of three people who find it supported."""
    article, name = readable(raw["article"]), f"{raw.file.removesuffix('.jsonl')}-{raw.line}"
    if not article or len(article) > LONGEST:
        yield Drop("no article, or over 3,000 characters")
        return
    for place, item in enumerate(raw["summary_sentences"]):
        votes = [vote["response"] == "yes" for vote in item["responses"]]
        sentence = readable(item["sentence"])
        if len(votes) < 3 or len(sentence.split()) < 3:
            yield Drop("fewer than three votes, or no sentence")
            continue
        share = round(sum(votes) / len(votes), 4)
        row = supported_row(sentence, [article], share, f"{name}-{place}", None, article_key(article))
        yield msgspec.structs.replace(row, mother=name)


def sound_share(item: dict[str, Any]) -> float:
    """Share of the annotators who find nothing false; Polytope's own label counts omissions, which are no falsehood."""
    if item["dataset"] == "polytope":
        return float(item["inaccuracy_label"])
    marks = item["annotations"]
    return round(sum(mark == FULL_MARK for mark in marks) / len(marks), 4) if len(marks) > 1 else float(item["label"])


def grounded_row(article: str, summary: str, share: float, row_id: str) -> Row:
    """Ask whether all of a summary rests on its article."""
    question = Noul()
    return Row(
        upstream_id=row_id, capability="evidence", language="en",
        state={"request": "Summarise the article.", "article": article, "reply": summary},
        questions={"grounded": question}, answers={"grounded": target(question, share)},
        group_keys=(article_key(article),),
    )  # fmt: skip


def summac_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Each summary of a part, which is one object; FactCC's are single sentences."""
    for key, item in raw.value.items():
        article, summary, share = readable(item["document"]), readable(item["claim"]), sound_share(item)
        if not article or not summary or len(article) > LONGEST:
            yield Drop("no article or summary, or article over 3,000 characters")
        elif share > 0.5 and draw("summac", key) >= SOUND[raw.file]:
            yield Drop("sound summary not drawn")
        elif item["dataset"] == "factcc":
            yield supported_row(summary, [article], share, key, None, article_key(article))
        else:
            yield grounded_row(article, summary, share, key)


_checked = partial(Source, languages=("en",), capabilities=("evidence",), licence_class="research")

SOURCES = (
    _checked(
        name="qags", home="https://github.com/W4ngatang/qags", licence="not stated; articles of CNN/DailyMail and XSum",
        rows=qags_rows, files=(File(name="mturk_cnndm.jsonl"), File(name="mturk_xsum.jsonl")),
    ),
    _checked(
        name="summac_mini", home="https://github.com/tingofurro/summac",
        licence="Apache-2.0, articles of CNN/DailyMail", rows=summac_rows,
        files=tuple(File(name=name, reader="json") for name in SOUND),
    ),
)  # fmt: skip
