"""Texts with one topic: THUCNews titles, TNEWS, IFLYTEK, CSLDCP, AG News, Yahoo! Answers, DBpedia classes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from searchjev.recipes.choices import few_of
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
NO_TOPIC = ("其他",)
LONGEST = {"zh": 420, "en": 1_200}
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENTITY = re.compile(r"&lt;[^&]*&gt;|<[^>]*>|\s#\d+;|&[a-z]+;")


def topic_row(
    text: str, gold: str, names: Sequence[str], raw: Raw, *, language: Language, question_id: str = "topic",
    fewest: int = 6, most: int = 15,
) -> Row | Drop:  # fmt: skip
    """Ask which topic, of some of the names, a text has."""
    if not text or len(text) > LONGEST[language]:
        return Drop("empty or too long")
    row_id = f"{raw.file}-{raw.line}"
    question = Choice(dict.fromkeys(few_of(names, gold, min(fewest, len(names)), most, "topic", row_id)))
    return Row(
        upstream_id=row_id, capability="topic_classification", language=language, state={"text": text},
        questions={question_id: question}, answers={question_id: target(question, gold)}, split=raw.split,
        group_keys=(f"text:{text}",),
    )  # fmt: skip


def thucnews_rows(found: Files) -> Rows:
    """Titles with the number of a class listed in class.txt."""
    classes = [THUCNEWS[raw.value.strip()] for raw in found.read("class.txt")]

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        cells = raw.value
        if len(cells) != 2 or not cells[1].isdigit() or int(cells[1]) >= len(classes):
            yield Drop("not a title and a class")
        else:
            yield topic_row(cells[0].strip(), classes[int(cells[1])], classes, raw, language="zh")

    return rows


def tnews_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Titles with a named class; the keywords, found by a machine, stay out."""
    gold = TNEWS.get(raw.get("label_desc", ""))
    if gold is None:
        yield Drop("no class")
    else:
        yield topic_row(raw["sentence"].strip(), gold, list(TNEWS.values()), raw, language="zh")


def named_rows(
    text_field: str, label_field: str, language: Language, question_id: str, files: tuple[str, ...], found: Files
) -> Rows:
    """Texts with a class named in the record; the options come from the names of all files."""
    labels = {raw.get(label_field) for name in files for raw in found.read(name)} - {None, "", *NO_TOPIC}
    names = {label: class_name(label, language) for label in sorted(labels)}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        gold = names.get(raw.get(label_field))
        if gold is None:
            yield Drop("no class")
            return
        text = plain(raw[text_field]) if language == "en" else raw[text_field].strip()
        yield topic_row(text, gold, list(names.values()), raw, language=language, question_id=question_id)

    return rows


def class_name(label: str, language: Language) -> str:
    """Label as words: `SoccerTournament` as `soccer tournament`; Chinese labels as they are."""
    return label if language == "zh" else _WORDS.sub(" ", label).replace("&", "and").lower()


def plain(text: str) -> str:
    """Text without a table's quotes, escapes and markup."""
    text = text.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1].replace('""', '"')
    return " ".join(_ENTITY.sub(" ", text.replace("\\n", " ").replace("\\", " ")).split())


def ag_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Title and first lines of an article; a backslash stands for a line's end."""
    cells = raw.value
    if len(cells) != 3 or cells[0] not in ("1", "2", "3", "4"):
        yield Drop("not a class and two texts")
    else:
        text = plain(f"{cells[1]}. {cells[2]}")
        yield topic_row(text, AG[int(cells[0]) - 1], AG, raw, language="en")


_topics = partial(Source, capabilities=("topic_classification",), licence_class="research")

SOURCES = (
    _topics(
        name="thucnews_titles", home="http://thuctc.thunlp.org", licence="research use", languages=("zh",),
        files=(
            File(name="class.txt", reader="lines", joined=True),
            File(name="dev.txt", reader="tsv_plain"),
            File(name="test.txt", reader="tsv_plain", split="test"),
        ),
        prepare=thucnews_rows,
    ),
    _topics(
        name="tnews", home="https://www.cluebenchmarks.com", licence="CLUE, research use", languages=("zh",),
        files=(File(name="train_few_all.json", split="train"), File(name="test_public.json")), rows=tnews_rows,
    ),
    _topics(
        name="iflytek", home="https://github.com/CLUEbenchmark/FewCLUE", licence="CLUE, research use",
        languages=("zh",), files=(File(name="test_public.json"),),
        prepare=partial(named_rows, "sentence", "label_des", "zh", "app", ("test_public.json",)),
    ),
    _topics(
        name="csldcp", home="https://github.com/CLUEbenchmark/FewCLUE", licence="CLUE, research use",
        languages=("zh",), files=(File(name="test_public.json"),), held_out="val",
        prepare=partial(named_rows, "content", "label", "zh", "discipline", ("test_public.json",)),
    ),
    _topics(
        name="ag_news", home="http://groups.di.unipi.it/~gulli/AG_corpus_of_news_articles.html",
        licence="non-commercial research use", languages=("en",),
        files=(File(name="test.csv", reader="csv_plain"),), rows=ag_rows,
    ),
    _topics(
        name="yahoo_answers_topics", home="https://webscope.sandbox.yahoo.com", licence="research use",
        languages=("en",),
        files=(File(name="dev.tsv", reader="tsv"), File(name="test.tsv", reader="tsv", split="test")),
        prepare=partial(named_rows, "text", "label", "en", "topic", ("dev.tsv", "test.tsv")),
    ),
    Source(
        name="dbpedia_classes", home="https://www.dbpedia.org", licence="CC-BY-SA-3.0", licence_class="open",
        languages=("en",), capabilities=("topic_classification",),
        files=(File(name="dev.tsv", reader="tsv"), File(name="test.tsv", reader="tsv", split="test")),
        prepare=partial(named_rows, "text", "label", "en", "kind", ("dev.tsv", "test.tsv")),
    ),
)  # fmt: skip
