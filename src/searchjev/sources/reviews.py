"""Reviews and posts with a polarity or stars: ChnSentiCorp, Online Shopping, Waimai, ASAP, Amazon Alexa."""

from collections.abc import Callable, Iterator

from searchjev.digest import draw
from searchjev.schema import Language, Noul, Score, target
from searchjev.source import Drop, File, Raw, Row, Rows, Source

STARS = {"zh": ["一星", "两星", "三星", "四星", "五星"], "en": ["one star", "two stars", "three stars", "four stars", "five stars"]}
LONGEST = 400


def polarity_rows(text_field: str, share: float) -> Rows:
    """Rows of a table with a text and a label, 1 for positive; a digest keeps a share."""

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        text, label, row_id = raw[text_field].strip(), raw["label"], f"{raw.file}-{raw.line}"
        if label not in ("0", "1") or not text or len(text) > LONGEST:
            yield Drop("no label" if label not in ("0", "1") else "empty or over 400 characters")
        elif draw("polarity", row_id) < share:
            question = Noul()
            yield Row(
                upstream_id=row_id,
                capability="sentiment_binary",
                language="zh",
                state={"review": text},
                questions={"positive": question},
                answers={"positive": target(question, label == "1")},
                split=raw.split,
                group_keys=(f"text:{text}",),
            )

    return rows


def star_rows(cut: Callable[[Raw], tuple[str, str]], language: Language, longest: int) -> Rows:
    """Rows of reviews with one to five stars."""

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        text, stars = cut(raw)
        if stars not in ("1", "2", "3", "4", "5") or not text or len(text) > longest:
            yield Drop("no stars" if stars not in ("1", "2", "3", "4", "5") else "empty or too long")
            return
        question = Score(STARS[language])
        yield Row(
            upstream_id=f"{raw.file}-{raw.line}",
            capability="review_rating",
            language=language,
            state={"review": text},
            questions={"stars": question},
            answers={"stars": target(question, int(stars) - 1)},
            split=raw.split,
            group_keys=(f"text:{text}",),
        )

    return rows


def _asap(raw: Raw) -> tuple[str, str]:
    return raw["reviewbody"].strip(), raw["star"].removesuffix(".0")


def _alexa(raw: Raw) -> tuple[str, str]:
    return raw["verified_reviews"].strip(), raw["ating"]


SOURCES = (
    Source(
        name="chnsenticorp", home="https://github.com/SophonPlus/ChineseNlpCorpus", licence="not stated",
        licence_class="unknown", languages=("zh",), capabilities=("sentiment_binary",),
        rows=polarity_rows("text_a", 1.0),
        files=(File(name="dev.tsv", reader="tsv"), File(name="test.tsv", reader="tsv", split="test")),
    ),
    Source(
        name="online_shopping_10_cats", home="https://github.com/SophonPlus/ChineseNlpCorpus", licence="not stated",
        licence_class="unknown", languages=("zh",), capabilities=("sentiment_binary",),
        rows=polarity_rows("review", 0.6), files=(File(name="online_shopping_10_cats.csv", reader="csv"),),
    ),
    Source(
        name="asap_reviews", home="https://github.com/Meituan-Dianping/asap", licence="Apache-2.0",
        licence_class="open", languages=("zh",), capabilities=("review_rating",), rows=star_rows(_asap, "zh", 900),
        files=(
            File(name="train_sample.csv", reader="csv", split="train"),
            File(name="dev_sample.csv", reader="csv", split="val"),
            File(name="test_sample.csv", reader="csv", split="test"),
        ),
    ),
    Source(
        name="amazon_alexa_reviews", home="https://www.kaggle.com/datasets/sid321axn/amazon-alexa-reviews",
        licence="not stated", licence_class="unknown", languages=("en",), capabilities=("review_rating",),
        rows=star_rows(_alexa, "en", 1_200), files=(File(name="amazon_alexa.tsv", reader="tsv"),), held_out="test",
    ),
)  # fmt: skip
