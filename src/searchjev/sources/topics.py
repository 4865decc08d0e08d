"""Titles and texts with one topic: THUCNews titles, TNEWS, AG News."""

from collections.abc import Iterator, Mapping
from functools import partial

from searchjev.digest import shuffled
from searchjev.schema import Choice, Language, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

THUCNEWS: Mapping[str, str] = {
    "finance": "财经", "realty": "房产", "stocks": "股票", "education": "教育", "science": "科技", "society": "社会",
    "politics": "时政", "sports": "体育", "game": "游戏", "entertainment": "娱乐",
}  # fmt: skip
TNEWS: Mapping[str, str] = {
    "news_story": "故事", "news_culture": "文化", "news_entertainment": "娱乐", "news_sports": "体育",
    "news_finance": "财经", "news_house": "房产", "news_car": "汽车", "news_edu": "教育", "news_tech": "科技",
    "news_military": "军事", "news_travel": "旅游", "news_world": "国际", "news_stock": "股票",
    "news_agriculture": "农业", "news_game": "游戏",
}  # fmt: skip
AG: tuple[str, ...] = ("world", "sports", "business", "science and technology")


def topic_row(text: str, gold: str, names: list[str], raw: Raw, language: Language) -> Row:
    """Ask which topic a text has."""
    question = Choice(dict.fromkeys(shuffled(names, text)))
    return Row(
        upstream_id=f"{raw.file}-{raw.line}",
        capability="topic_classification",
        language=language,
        state={"text": text},
        questions={"topic": question},
        answers={"topic": target(question, gold)},
        split=raw.split,
        group_keys=(f"text:{text}",),
    )


def thucnews_rows(found: Files) -> Rows:
    """Titles with the number of a class listed in class.txt."""
    classes = [THUCNEWS[raw.value.strip()] for raw in found.read("class.txt")]

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        cells = raw.value
        if len(cells) != 2 or not cells[1].isdigit() or int(cells[1]) >= len(classes):
            yield Drop("not a title and a class")
        else:
            yield topic_row(cells[0], classes[int(cells[1])], classes, raw, "zh")

    return rows


def tnews_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Titles with a named class."""
    gold = TNEWS.get(raw.get("label_desc", ""))
    if gold is None or not raw["sentence"].strip():
        yield Drop("no class")
    else:
        yield topic_row(raw["sentence"], gold, list(TNEWS.values()), raw, "zh")


def ag_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Title and first lines of an article; a backslash stands for a line's end."""
    cells = raw.value
    if len(cells) != 3 or cells[0] not in ("1", "2", "3", "4"):
        yield Drop("not a class and two texts")
    else:
        text = f"{cells[1]}. {cells[2]}".replace("\\", " ")
        yield topic_row(text, AG[int(cells[0]) - 1], list(AG), raw, "en")


_research = partial(Source, licence_class="research", capabilities=("topic_classification",))

SOURCES = (
    _research(
        name="thucnews_titles", home="http://thuctc.thunlp.org", licence="research use", languages=("zh",),
        files=(
            File(name="class.txt", reader="lines", joined=True),
            File(name="dev.txt", reader="tsv_plain"),
            File(name="test.txt", reader="tsv_plain", split="test"),
        ),
        prepare=thucnews_rows,
    ),
    _research(
        name="tnews", home="https://www.cluebenchmarks.com", licence="CLUE, research use", languages=("zh",),
        files=(File(name="train_few_all.json", split="train"), File(name="test_public.json")), rows=tnews_rows,
    ),
    _research(
        name="ag_news", home="http://groups.di.unipi.it/~gulli/AG_corpus_of_news_articles.html",
        licence="non-commercial research use", languages=("en",),
        files=(File(name="test.csv", reader="csv_plain"),), rows=ag_rows,
    ),
)  # fmt: skip
