"""TREC Deep Learning 2019: web queries with passages that assessors graded; DL-Typo: real typing errors put right.

Only passages graded 1 to 3 have their text. For grade 0 stand passages that were graded for a query unlike this one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from searchjev.digest import draw, pick
from searchjev.recipes.noise import KINDS
from searchjev.schema import Answer, Choice, Noul, Question, Score, State, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

LEVELS = ["irrelevant", "touches on it", "relevant", "exactly on it"]
QRELS = File(name="qrels_test.tsv", reader="tsv_plain")
TYPOS = File(name="dl-typo_query.typo.tsv", reader="tsv_plain")
RIGHT = "dl-typo_query.tsv"
SHARES: Mapping[str, float] = {"1": 0.5, "2": 0.45, "3": 1.0}
"""Share of the pairs of each grade that is kept."""

ZERO_SHARE = 0.22
SHORTEST, LONGEST = 40, 1_200
_WORD = re.compile(r"[a-z]{4,}")
_BROKEN = re.compile("[\u00c0-\u00ff][\u0080-\u00bf]|\u00e2[^a-z]|\ufffd|&[a-z]+;")


class Judged(NamedTuple):
    """All that was judged: texts by id, queries by id, and the passages of each query by grade."""

    queries: Mapping[str, str]
    passages: Mapping[str, str]
    by_query: Mapping[str, Mapping[str, list[str]]]


def stems(text: str) -> set[str]:
    """Beginnings of the longer words of a text."""
    return {word[:6] for word in _WORD.findall(text.lower())}


def judged_in(files: Files) -> Judged:
    """Queries, whole passages of a fit length, and grades."""
    queries = {raw["_id"]: raw["text"].strip() for raw in files.read("queries.jsonl")}
    texts = {raw["_id"]: " ".join(raw["text"].split()) for raw in files.read("corpus.jsonl")}
    passages = {k: t for k, t in texts.items() if SHORTEST <= len(t) <= LONGEST and not _BROKEN.search(t)}
    by_query: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for raw in files.read(QRELS.name):
        if len(raw.value) == 3 and raw.value[0] in queries and raw.value[1] in passages:
            by_query[raw.value[0]][raw.value[2]].append(raw.value[1])
    return Judged(queries, passages, by_query)


def row(
    key: str,
    capability: str,
    state: State,
    golds: Mapping[str, tuple[Question, Answer]],
    *keys: str,
    made: bool = False,
) -> Row:
    """Row with one or more questions; `made` where a side of it was put together here."""
    return Row(
        upstream_id=key,
        capability=capability,
        language="en",
        state=state,
        questions={name: question for name, (question, _) in golds.items()},
        answers={name: answer for name, (_, answer) in golds.items()},
        tier="constructed" if made else "gold",
        origin="derived" if made else "native",
        split="test",
        group_keys=keys,
    )


def graded(key: str, query: str, passage: str, grade: int, *, made: bool = False) -> Row:
    """How relevant a passage is; whether it answers: what is merely related, grade 1, doesn't."""
    score, noul = Score([*LEVELS]), Noul()
    golds: dict[str, tuple[Question, Answer]] = {
        "grade4": (score, target(score, grade)),
        "relevant": (noul, target(noul, grade > 1)),
    }
    return row(key, "relevance", {"query": query, "passage": passage}, golds, f"text:{query}", made=made)


def elsewhere(judged: Judged, query_id: str, *key: str) -> str | None:
    """Passage that answers a query unlike this one but shares a word with it; None where there is none."""
    words = stems(judged.queries[query_id])
    found = []
    for other, grades in judged.by_query.items():
        if not words & stems(judged.queries[other]):
            found += [name for name in (*grades["2"], *grades["3"]) if words & stems(judged.passages[name])]
    taken = {name for names in judged.by_query[query_id].values() for name in names}
    found = sorted(set(found) - taken)
    return judged.passages[pick(found, *key)] if found else None


def pair_rows(raw: Raw, judged: Judged) -> Iterator[Row | Drop]:
    """Rows of one graded pair."""
    query_id, passage_id, grade = [*raw.value, "", "", ""][:3]
    key = f"{query_id}-{passage_id}"
    if query_id not in judged.queries or passage_id not in judged.passages or grade not in SHARES:
        yield Drop("no query, no grade or no passage of a fit length")
    elif draw("trec_dl", key) >= SHARES[grade]:
        yield Drop("not drawn")
    else:
        query = judged.queries[query_id]
        yield graded(key, query, judged.passages[passage_id], int(grade))
        away = elsewhere(judged, query_id, key) if draw("trec_dl", key, "zero") < ZERO_SHARE else None
        if away:
            yield graded(f"{key}-zero", query, away, 0, made=True)


def typo_rows(raw: Raw, right: Mapping[str, str]) -> Iterator[Row | Drop]:
    """Whether each of a query's two forms is mistyped."""
    key, text = raw.value[0], raw.value[-1].strip()
    clean = right.get(key, "")
    if not clean or not text or clean == text:
        yield Drop("no second form of the query")
        return
    for name, query in (("typo", text), ("clean", clean)):
        noul, kind, is_noisy = Noul(), Choice(dict.fromkeys(KINDS)), name == "typo"
        golds: dict[str, tuple[Question, Answer]] = {
            "noisy": (noul, target(noul, is_noisy)),
            "kind": (kind, target(kind, "typos" if is_noisy else "clean")),
        }
        yield row(f"{key}-{name}", "query_noise", {"query": query}, golds, f"text:{clean}")


def prepare(files: Files) -> Rows:
    """Rows of graded pairs and of mistyped queries."""
    judged = judged_in(files)
    right = {raw.value[0]: raw.value[-1].strip() for raw in files.read(RIGHT) if len(raw.value) == 2}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        yield from pair_rows(raw, judged) if raw.file == QRELS.name else typo_rows(raw, right)

    return to_rows


SOURCES = (
    Source(
        name="trec_dl_passages",
        home="https://microsoft.github.io/msmarco/TREC-Deep-Learning-2019",
        licence="MS MARCO, non-commercial research; NIST judgements public",
        licence_class="research",
        languages=("en",),
        capabilities=("query_noise", "relevance"),
        files=(
            QRELS,
            TYPOS,
            File(name="corpus.jsonl", joined=True),
            File(name="queries.jsonl", joined=True),
            File(name=RIGHT, reader="tsv_plain", joined=True),
        ),
        prepare=prepare,
        held_out="test",
    ),
)
