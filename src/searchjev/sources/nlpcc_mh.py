"""NLPCC-MH: Chinese two- and three-hop questions over a knowledge base, each with its path of triples."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.hops import Hop, Page, Problem, enough, marginal, queries, retrieval, stop
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FORMS = ("{0}的{1}", "{0} {1}", "{0}的{1}是什么")
RELATIONS = ("国籍", "出生日期", "作者", "导演", "主演", "地理位置", "成立时间", "代表作品", "毕业院校", "职业")
FILES = (
    File(name="nlpcc-mh.train.json", reader="json", split="train"),
    File(name="nlpcc-mh.test.json", reader="json", split="test"),
)
OTHERS = 4


class Triple(NamedTuple):
    """Subject, relation and object by name."""

    subject: str
    relation: str
    object: str


def triples_of(value: Any) -> list[Triple]:  # noqa: ANN401 - published record
    """Path of a question; names without the ids of the knowledge base."""
    return [Triple(*(name.partition(" ||| ")[0].strip() for name in step)) for step in value["path"]]


def prepare(files: Files) -> Rows:
    """Rows with distractor facts drawn from other questions, of the same relations where there are any."""
    by_relation: dict[str, list[Triple]] = defaultdict(list)
    for file in FILES:
        for raw in files.read(file.name):
            for triple in triples_of(raw.value):
                by_relation[triple.relation].append(triple)
    everything = [triple for triples in by_relation.values() for triple in triples]

    def others(path: list[Triple], record_id: str) -> list[Triple]:
        subjects = {name for triple in path for name in (triple.subject, triple.object)}
        same = [t for triple in path for t in shuffled(by_relation[triple.relation], record_id, triple.subject)[:3]]
        pool = [*same, *(pick(everything, record_id, str(i)) for i in range(3 * OTHERS))]
        return [t for t in dict.fromkeys(pool) if t.subject not in subjects][:OTHERS]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        record_id = f"{raw.file.split('.')[1]}-{raw.line}"
        path = triples_of(raw.value)
        away = others(path, record_id)
        if len(path) < 2 or len(set(path)) < len(path) or path[0].subject == path[1].subject:
            yield Drop("no path of two different steps")
        elif len(away) < OTHERS:
            yield Drop("too few other facts")
        else:
            yield from chosen(problem_of(raw, record_id, path, away))

    return to_rows


def problem_of(raw: Raw, record_id: str, path: list[Triple], away: list[Triple]) -> Problem:
    """Question as a problem: every fact is a page titled by its subject."""
    pages = tuple(Page(t.subject, (f"{t.relation}：{t.object}",)) for t in [*path, *away])
    form = pick(FORMS, record_id)
    used = {triple.relation for triple in path}
    free = [relation for relation in RELATIONS if relation not in used]
    hops = []
    for i, triple in enumerate(path):
        wrong = [
            (triple.subject, path[i - 1].relation),
            (path[0].subject, triple.relation),
            (triple.subject, pick(free, record_id, triple.subject)),
            (away[0].subject, triple.relation),
        ]
        others = tuple(form.format(*pair) for pair in wrong if pair[1] != triple.relation or pair[0] != triple.subject)
        hops.append(Hop(form.format(triple.subject, triple.relation), i, others))
    places = tuple(range(len(path)))
    return Problem(
        "nlpcc_mh", record_id, raw["q"].strip(), path[-1].object, pages, places, tuple(hops), raw.split, language="zh"
    )


def chosen(problem: Problem) -> Iterator[Row]:
    """The query rows of a problem and one row about its evidence."""
    yield from queries(problem)
    part, side = draw(problem.id, "part"), draw(problem.id, "side") < 0.5
    if part < 0.4:
        yield enough(problem, complete=side)
    elif part < 0.6:
        yield marginal(problem, useful=side)
    elif part < 0.8:
        yield stop(problem, complete=side)
    else:
        yield retrieval(problem, complete=side)


SOURCES = (
    Source(
        name="nlpcc_mh",
        home="https://github.com/wavewangyue/NLPCC-MH",
        licence="unstated",
        licence_class="unknown",
        languages=("zh",),
        capabilities=(
            "evidence_sufficiency_state",
            "marginal_gain",
            "next_query_zh",
            "query_fit",
            "retrieval_gain",
            "stop_boundary",
        ),
        files=FILES,
        prepare=prepare,
    ),
)
