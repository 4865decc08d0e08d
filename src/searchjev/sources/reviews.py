"""Reviews and posts with a polarity (ChnSentiCorp, Online Shopping, Waimai, Weibo ...) or stars (ASAP, Amazon, JD)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from searchjev.digest import draw
from searchjev.recipes.unchecked import UNCHECKED, guarded
from searchjev.schema import Language, Noul, Score, Text, target
from searchjev.source import Drop, File, Raw, Row, Rows, Source, Tier

STARS: Mapping[Language, list[Text]] = {
    "zh": ["1 星", "2 星", "3 星", "4 星", "5 星"],
    "en": ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"],
}
LONGEST = 400
SHORTEST = 4
POLARITY: Mapping[str, bool] = {"1": True, "0": False, "Positive": True, "Negative": False}
_EMOTICON = re.compile(r"\[[^\[\]\s]{1,8}\]")
_HANDLE = re.compile(r"(?://)?@[\w\-]+[:：]?")
_LETTERS = re.compile(r"\w")
_ESCAPED_END = re.compile(r"\\+n")

Cut = Callable[[Raw], tuple[str, str]]


def named(text_field: str, label_field: str = "label") -> Cut:
    """Cut a record with named fields."""
    return lambda raw: (str(raw[text_field]).strip(), str(raw[label_field]))


def without_emoticons(raw: Raw) -> tuple[str, str]:
    """Cut `label TAB post`; emoticons like [哈哈], from which the labels were made, and user names leave the text."""
    cells = raw.value
    if len(cells) != 2:
        return "", ""
    return " ".join(_HANDLE.sub(" ", _EMOTICON.sub("", cells[1])).split()), cells[0]


def polarity_rows(cut: Cut, share: float, tier: Tier = "gold") -> Rows:
    """Rows of texts that are positive or negative; a digest keeps a share."""

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        (text, label), row_id = cut(raw), f"{raw.file}-{raw.line}"
        if label not in POLARITY:
            yield Drop("no label")
        elif len(text) > LONGEST or len(_LETTERS.findall(text)) < SHORTEST:
            yield Drop("under 4 letters or over 400 characters")
        elif draw("polarity", row_id) >= share:
            yield Drop("not drawn")
        else:
            question = Noul()
            yield Row(
                upstream_id=row_id,
                capability="sentiment_binary",
                language="zh",
                state={"review": text},
                questions={"positive": question},
                answers={"positive": target(question, POLARITY[label])},
                split=raw.split,
                tier=tier,
                group_keys=(f"text:{text}",),
            )

    return rows


def star_rows(cut: Cut, language: Language, longest: int) -> Rows:
    """Rows of reviews with one to five stars."""

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        text, stars = cut(raw)
        if stars not in ("1", "2", "3", "4", "5"):
            yield Drop("no stars")
        elif len(text) > longest or len(_LETTERS.findall(text)) < SHORTEST:
            yield Drop("under 4 letters or too long")
        else:
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


def asap(raw: Raw) -> tuple[str, str]:
    """Cut ASAP's review, whose stars are a float and whose line ends are escapes."""
    return _ESCAPED_END.sub("\n", raw["reviewbody"]).strip(), raw["star"].removesuffix(".0")


def alexa(raw: Raw) -> tuple[str, str]:
    """Cut a review; the copy at hand lost the first letter of `rating`, and cells keep their quotes."""
    text = raw["verified_reviews"].strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1].replace('""', '"').strip()
    return text, str(raw.get("rating", raw.get("ating")))


def titled(raw: Raw) -> tuple[str, str]:
    """Cut `stars, title, review` cells; a title that the review begins with is left out."""
    if len(raw.value) != 3:
        return "", ""
    stars, title, body = (_ESCAPED_END.sub("\n", cell).strip() for cell in raw.value)
    return (body if body.startswith(title) else f"{title}\n{body}").strip(), stars


_polar = partial(
    Source, licence="not stated", licence_class="unknown", languages=("zh",), capabilities=("sentiment_binary",)
)
_CORPUS = "https://github.com/SophonPlus/ChineseNlpCorpus"

SOURCES = (
    _polar(
        name="chnsenticorp", home=_CORPUS, rows=polarity_rows(named("text_a"), 1.0),
        files=(File(name="dev.tsv", reader="tsv"), File(name="test.tsv", reader="tsv", split="test")),
    ),
    _polar(
        name="chnsenticorp_htl", home=_CORPUS, rows=polarity_rows(named("review"), 0.4),
        files=(File(name="ChnSentiCorp_htl_all.csv", reader="csv"),),
    ),
    _polar(
        name="online_shopping_10_cats", home=_CORPUS, rows=polarity_rows(named("review"), 0.6),
        files=(File(name="online_shopping_10_cats.csv", reader="csv"),),
    ),
    _polar(
        name="waimai_10k", home=_CORPUS, rows=polarity_rows(named("review"), 0.5),
        files=(File(name="waimai_10k.csv", reader="csv"),),
    ),
    _polar(
        name="weibo_senti_100k", home=_CORPUS, rows=polarity_rows(without_emoticons, 0.5, "weak"),
        files=(File(name="dev.tsv", reader="tsv_plain"), File(name="test.tsv", reader="tsv_plain", split="test")),
    ),
    _polar(
        name="douban_book_review", home="https://github.com/dbiir/UER-py", rows=polarity_rows(named("text_a"), 0.4),
        files=(File(name="dev.tsv", reader="tsv"),),
    ),
    Source(
        name="eprstmt", home="https://github.com/CLUEbenchmark/FewCLUE", licence="CLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("sentiment_binary",),
        rows=polarity_rows(named("sentence"), 1.0),
        files=(File(name="train_few_all.json", split="train"), File(name="test_public.json", split="test")),
    ),
    Source(
        name="asap_reviews", home="https://github.com/Meituan-Dianping/asap", licence="Apache-2.0",
        licence_class="open", languages=("zh",), capabilities=("review_rating",), rows=star_rows(asap, "zh", 700),
        files=(
            File(name="train_sample.csv", reader="csv", split="train"),
            File(name="dev_sample.csv", reader="csv"),
            File(name="test_sample.csv", reader="csv", split="test"),
        ),
    ),
    Source(
        name="amazon_alexa_reviews", home="https://www.kaggle.com/datasets/sid321axn/amazon-alexa-reviews",
        licence="not stated", licence_class="unknown", languages=("en",), capabilities=("review_rating",),
        rows=star_rows(alexa, "en", 1_200), files=(File(name="amazon_alexa.tsv", reader="tsv"),), held_out="test",
    ),
    Source(
        name="amazon_reviews_multi_zh", home="https://registry.opendata.aws/amazon-reviews-ml/",
        licence="Amazon's terms, research use", licence_class="research", languages=("zh",),
        capabilities=("review_rating",), note=UNCHECKED,
        rows=guarded(star_rows(named("review_body", "stars"), "zh", 700)),
        files=(
            File(name="dataset_zh_train.json", split="train"),
            File(name="dataset_zh_dev.json", split="val"),
            File(name="dataset_zh_test.json", split="test"),
        ),
    ),
    Source(
        name="douban_movie_comments", home="https://www.kaggle.com/datasets/utmhikari/doubanmovieshortcomments",
        licence="not stated", licence_class="unknown", languages=("zh",), capabilities=("review_rating",),
        rows=guarded(star_rows(named("Comment", "Star"), "zh", 700)), note=UNCHECKED,
        files=(File(name="DMSC.csv", reader="csv"),),
    ),
    Source(
        name="jd_full", home="https://github.com/zhangxiangxiao/glyph", licence="research use only",
        licence_class="research", languages=("zh",), capabilities=("review_rating",),
        rows=guarded(star_rows(titled, "zh", 700)), note=UNCHECKED,
        files=(
            File(name="train.csv", reader="csv_plain", split="train"),
            File(name="test.csv", reader="csv_plain", split="test"),
        ),
    ),
)  # fmt: skip
