"""CLUE tasks of one kind each: CSL (keywords of an abstract) and CLUEWSC (whom a pronoun means)."""

from collections.abc import Iterator, Mapping

from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

LONGEST = 420


def csl_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether all keywords are those of the abstract; sets of two are always false, so they stay out."""
    label, keywords, text = raw.get("label"), raw.get("keyword") or [], raw["abst"].strip()
    if label not in ("0", "1") or not text:
        yield Drop("no label or no abstract")
    elif len(keywords) < 3:
        yield Drop("fewer than three keywords")
    elif len(text) > LONGEST:
        yield Drop("abstract over 420 characters")
    else:
        question = Noul()
        yield Row(
            upstream_id=f"{raw.file}-{raw['id']}",
            capability="keyword_match",
            language="zh",
            state={"keywords": keywords, "abstract": text},
            questions={"keywords": question},
            answers={"keywords": target(question, label == "1")},
            split=raw.split,
            group_keys=(f"text:{text}",),
        )


def marked(text: str, spot: Mapping[str, object]) -> str | None:
    """Text with the pronoun in brackets; None where it does not stand at its offset."""
    start, pronoun = spot.get("span2_index"), spot.get("span2_text")
    if not isinstance(start, int) or not isinstance(pronoun, str) or not text.startswith(pronoun, start):
        return None
    return f"{text[:start]}【{pronoun}】{text[start + len(pronoun) :]}"


def cluewsc_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether the marked pronoun means the candidate."""
    label, spot = raw.get("label"), raw.get("target") or {}
    text = marked(raw["text"], spot)
    if label not in ("true", "false") or text is None or not spot.get("span1_text"):
        yield Drop("no label, or no pronoun at its place")
        return
    question = Noul()
    yield Row(
        upstream_id=f"{raw.file}-{raw['idx']}",
        capability="coreference",
        language="zh",
        state={"candidate": spot["span1_text"], "pronoun": spot["span2_text"], "text": text},
        questions={"refers": question},
        answers={"refers": target(question, label == "true")},
        split=raw.split,
        group_keys=(f"text:{raw['text']}",),
    )


SOURCES = (
    Source(
        name="csl", home="https://github.com/CLUEbenchmark/FewCLUE", licence="CLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("keyword_match",), rows=csl_rows,
        files=(File(name="train_few_all.json", split="train"), File(name="test_public.json")),
    ),
    Source(
        name="cluewsc", home="https://github.com/CLUEbenchmark/FewCLUE", licence="CLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("coreference",), rows=cluewsc_rows,
        files=(
            File(name="train_few_all.json", split="train"),
            File(name="dev_few_all.json"),
            File(name="test_public.json"),
        ),
    ),
)  # fmt: skip
