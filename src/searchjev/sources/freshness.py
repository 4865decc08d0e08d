"""Change of answers with time, and trust in sites: SituatedQA, CDQA, domain ratings, media reliability."""

from collections.abc import Iterator, Mapping

from searchjev.digest import draw
from searchjev.schema import Choice, Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Source, Tier

CDQA: Mapping[str, str] = {"快速变化": "fast", "中速变化": "medium", "静态知识": "static"}
TRUST = ["not to be trusted", "mixed", "trustworthy"]
STATUS: Mapping[str, int] = {"d": 0, "gu": 0, "nc": 1, "gr": 2}
FACT: Mapping[str, int] = {"low": 0, "mixed": 1, "high": 2}


def situated_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Annotated: the answer depends on when the question is asked."""
    if raw["is_dependent"] not in ("yes", "no"):
        yield Drop("no annotation")
        return
    question = Noul()
    yield Row(
        upstream_id=f"{raw.file}-{raw['id']}",
        capability="fresh_serp",
        language="en",
        state={"query": raw["question"]},
        questions={"fresh": question},
        answers={"fresh": target(question, raw["is_dependent"] == "yes")},
        split=raw.split,
        group_keys=(f"text:{raw['question']}",),
    )


def cdqa_rows(raw: Raw) -> Iterator[Row | Drop]:
    """How fast the answer changes, as annotated."""
    gold = CDQA.get(raw["annotation"].get("知识动态性分类", ""))
    asked = raw["qa"].removeprefix("\ufeff").partition("\n答案")[0]
    # the annotator's corrected question, where there is one, is what was classed
    text = (raw["annotation"].get("p-改写问题") or asked.partition(":")[2]).strip()
    if gold is None or not text:
        yield Drop("no class or question")
        return
    speed, fresh = Choice(dict.fromkeys(CDQA.values())), Noul()
    common = {"upstream_id": f"{raw.file}-{raw.line}", "state": {"query": text}, "group_keys": (f"text:{text}",)}
    yield Row(
        capability="source_time", language="zh", questions={"speed": speed}, answers={"speed": target(speed, gold)},
        **common,  # type: ignore[arg-type]
    )  # fmt: skip
    if gold != "medium":
        yield Row(
            capability="fresh_serp", language="zh", questions={"fresh": fresh}, tier="derived",
            answers={"fresh": target(fresh, gold == "fast")}, **common,  # type: ignore[arg-type]
        )  # fmt: skip


def trust_row(site: str, level: int, row_id: str, tier: Tier = "gold") -> Row:
    """Ask how far a site can be trusted and, at the ends of the scale, whether it can."""
    questions: dict[str, Question] = {"trust": Score([*TRUST])}
    answers = {"trust": target(questions["trust"], level)}
    if level != 1:
        questions["reliable"] = Noul()
        answers["reliable"] = target(questions["reliable"], level == 2)
    return Row(
        upstream_id=row_id,
        capability="qd_quality",
        language="en",
        state={"site": site},
        questions=questions,
        answers=answers,
        tier=tier,
        group_keys=(f"site:{site}",),
    )


def domain_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Raters' first component in thirds of its range; a digest keeps a third of the sites."""
    try:
        value = float(raw["pc1"])
    except ValueError:
        yield Drop("no rating")
        return
    if draw("domain_quality", raw["domain"]) < 0.33:
        yield trust_row(raw["domain"], min(2, int(value * 3)), raw["domain"], "derived")
    else:
        yield Drop("not drawn")


def media_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Factuality of reporting as judged."""
    level = FACT.get(raw["fact"].strip().lower())
    if level is None:
        yield Drop("no judgement")
    else:
        yield trust_row(raw["source_url_normalized"], level, f"{raw.file}-{raw['source_url_normalized']}")


def wiki_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Consensus of Wikipedia's editors on a source."""
    level, site = STATUS.get(raw["status"].strip()), raw["domain"].strip()
    if level is None or not site:
        yield Drop("no status or domain")
    else:
        yield trust_row(site, level, f"{raw.file}-{raw.line}")


SOURCES = (
    Source(
        name="situatedqa", home="https://situatedqa.github.io", licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("fresh_serp",), rows=situated_rows,
        files=(
            File(name="id_data.temp.train.jsonl", split="train"),
            File(name="id_data.temp.dev.jsonl", split="val"),
            File(name="id_data.temp.test.jsonl", split="test"),
        ),
    ),
    Source(
        name="cdqa", version=2, home="https://github.com/Alibaba-NLP/CDQA",
        licence="not stated", licence_class="unknown",
        languages=("zh",), capabilities=("source_time", "fresh_serp"), rows=cdqa_rows,
        files=(File(name="CDQA_v1.json", reader="json"),),
    ),
    Source(
        name="wiki_reliable_sources", version=2, home="https://en.wikipedia.org/wiki/Wikipedia:Reliable_sources/Perennial_sources",
        licence="MIT, content CC-BY-SA", licence_class="open", languages=("en",), capabilities=("qd_quality",),
        rows=wiki_rows, files=(File(name="reliability_ranking.csv", reader="csv"),),
    ),
    Source(
        name="domain_quality", version=2, home="https://github.com/hauselin/domain-quality-ratings",
        licence="not stated",
        licence_class="unknown", languages=("en",), capabilities=("qd_quality",), held_out="val", rows=domain_rows,
        files=(File(name="domain_pc1.csv", reader="csv"),),
    ),
    Source(
        name="news_media_reliability", version=2, home="https://github.com/ramybaly/News-Media-Reliability",
        licence="not stated",
        licence_class="unknown", languages=("en",), capabilities=("qd_quality",), held_out="test", rows=media_rows,
        files=(File(name="acl2020_corpus.tsv", reader="tsv"), File(name="emnlp18_corpus.tsv", reader="tsv")),
    ),
)  # fmt: skip
