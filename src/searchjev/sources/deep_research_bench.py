"""DeepResearch Bench: research tasks in English and Chinese, each filed under a topic (Du et al. 2025).

Does not cover reports, which are too long for a state and scored by a model, nor the rubrics, which models wrote.
"""

from collections.abc import Iterator, Mapping

from searchjev.digest import digest, shuffled
from searchjev.schema import Choice, Language, target
from searchjev.source import Drop, File, Raw, Row, Source

TOPICS: Mapping[str, tuple[str, str]] = {
    "Science & Technology": ("tech", "科学技术"), "Software Development": ("tech", "软件开发"),
    "Hardware": ("tech", "硬件"), "Industrial": ("tech", "工业"), "Transportation": ("tech", "交通运输"),
    "Literature": ("culture", "文学"), "History": ("culture", "历史"), "Religion": ("culture", "宗教"),
    "Art & Design": ("culture", "艺术与设计"), "Entertainment": ("culture", "娱乐"), "Games": ("culture", "游戏"),
    "Health": ("life", "健康医学"), "Food & Dining": ("life", "饮食"), "Sports & Fitness": ("life", "体育健身"),
    "Travel": ("life", "旅行"), "Finance & Business": ("money", "金融与商业"),
    "Education & Jobs": ("study", "教育与就业"), "Crime & Law": ("law", "法律与犯罪"),
}  # fmt: skip
"""Topics with their group and Chinese name; a group's topics run into one another and are never offered together."""

FEWEST, MOST = 5, 8
LONGEST = 1_200


def options_of(topic: str, language: Language, key: str) -> list[str]:
    """Names of the topic and of some of other groups."""
    others = [name for name in shuffled(list(TOPICS), key) if TOPICS[name][0] != TOPICS[topic][0]]
    count = FEWEST + digest(key, "count") % (MOST - FEWEST + 1)
    chosen = shuffled([topic, *others[: count - 1]], key, "order")
    return [TOPICS[name][1] if language == "zh" else name for name in chosen]


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask for the topic of a task."""
    topic, text, key = raw.get("topic"), str(raw.get("prompt") or "").strip(), str(raw["id"])
    if topic not in TOPICS or raw.get("language") not in ("en", "zh"):
        yield Drop("a topic that overlaps with others, or another language")
        return
    if not 10 <= len(text) <= LONGEST:
        yield Drop("no task, or longer than 1,200 characters")
        return
    language: Language = raw["language"]
    question = Choice(dict.fromkeys(options_of(topic, language, key)))
    gold = TOPICS[topic][1] if language == "zh" else topic
    yield Row(
        upstream_id=key,
        capability="topic_classification",
        language=language,
        state={"text": text},
        questions={"topic": question},
        answers={"topic": target(question, gold)},
        split="test",
        group_keys=(f"text:{text}",),
    )


SOURCES = (
    Source(
        name="deep_research_bench",
        home="https://github.com/Ayanami0730/deep_research_bench",
        licence="Apache-2.0, for evaluation",
        licence_class="evaluation-only",
        languages=("en", "zh"),
        capabilities=("topic_classification",),
        files=(File(name="query.jsonl", split="test"),),
        rows=rows,
        held_out="test",
    ),
)
