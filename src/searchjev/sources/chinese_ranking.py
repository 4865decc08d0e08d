"""Chinese ranking sets: T2Ranking (four grades), DuReader-retrieval, Multi-CPR (e-commerce, video, medical).

Collections are read whole, and only passages in use are kept: reading T2Ranking's 3.7 GB takes some 10 GB of memory.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.recipes.noise import Neighbours
from searchjev.recipes.unchecked import UNCHECKED, guarded, guarded_files
from searchjev.schema import Choice, Noul, Question, Score, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source, Tier

GRADES = ["无关", "沾边", "相关", "完全切题"]
LONGEST, SHOWN = 1_200, 400
"""Characters of a passage asked about alone, and of one shown among others."""

FEWEST, MOST = 4, 6
T2_SHARE = {"qrels.train.tsv": 0.1, "qrels.dev.tsv": 0.2}
"""Share of the queries of a file that is used."""

CPR_SHARE = 0.3
DOMAINS = ("ecom", "video", "medical")


def unquoted(cell: str) -> str:
    """Text of a cell without the quotes of a csv writer."""
    cell = cell.strip()
    quoted = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return cell[1:-1].replace('""', '"').strip() if quoted else cell


def passage_row(raw: Raw, key: str, query: str, passage: str, gold: int | bool, tier: Tier = "gold") -> Row:
    """Ask how relevant a passage is: whether at all, and by grade where the gold is one (2 and 3 count as relevant)."""
    questions: dict[str, Question] = {"relevant": Noul()}
    answers = {"relevant": target(questions["relevant"], gold >= 2 if type(gold) is int else gold)}
    if type(gold) is int:
        questions["grade4"] = Score([*GRADES])
        answers["grade4"] = target(questions["grade4"], gold)
    return Row(
        upstream_id=key, capability="relevance", language="zh", state={"query": query, "passage": passage},
        questions=questions, answers=answers, tier=tier, origin="mined" if tier == "constructed" else "native",
        split=raw.split, group_keys=(f"text:{query}",),
    )  # fmt: skip


def select_row(raw: Raw, key: str, query: str, right: str, wrong: Sequence[str], tier: Tier = "derived") -> Row | None:
    """Which of four to six results to open, all shown whole; None where too few are short enough."""
    fit = [text for text in dict.fromkeys(wrong) if text != right and len(text) <= SHOWN]
    if len(fit) < FEWEST - 1 or len(right) > SHOWN:
        return None
    count = FEWEST - 1 + digest(key, "count") % (MOST - FEWEST + 1)
    results = shuffled([right, *shuffled(fit, key, "wrong")[:count]], key, "order")
    question = Choice({f"r{place}": text for place, text in enumerate(results, 1)})
    return Row(
        upstream_id=key, capability="serp_select", language="zh", state={"query": query},
        questions={"open": question}, answers={"open": target(question, f"r{results.index(right) + 1}")},
        tier=tier, origin="derived", split=raw.split, group_keys=(f"text:{query}",),
    )  # fmt: skip


class Judged:
    """Queries of T2Ranking that are used, their graded passages, and the passages' texts."""

    def __init__(self, files: Files) -> None:
        self.queries = {
            (f"qrels.{name}.tsv", raw["qid"]): unquoted(raw["query"])
            for name in ("train", "dev")
            for raw in files.read(f"queries.{name}.tsv")
        }
        self.grades: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for raw in (raw for name in T2_SHARE for raw in files.read(name)):
            if raw["rel"] in ("0", "1", "2", "3") and is_drawn(raw):
                self.grades[raw.file, raw["qid"]][raw["pid"]] = int(raw["rel"])
        wanted = {pid for passages in self.grades.values() for pid in passages}
        self.texts = {raw["pid"]: unquoted(raw["text"]) for raw in files.read("collection.tsv") if raw["pid"] in wanted}

    def select(self, raw: Raw, key: str, query: str) -> Row | None:
        """Choice of a query's first passage that answers fully, among those that don't answer."""
        passages = self.grades[raw.file, raw["qid"]]
        right = next((pid for pid, grade in passages.items() if grade == 3), None)
        if right != raw["pid"] or right not in self.texts:
            return None
        wrong = [self.texts[pid] for pid, grade in passages.items() if grade <= 1 and self.texts.get(pid)]
        return select_row(raw, key, query, self.texts[right], wrong)


def is_drawn(raw: Raw) -> bool:
    """Whether a query of T2Ranking is used."""
    return draw("t2ranking", raw.file, raw["qid"]) < T2_SHARE[raw.file]


def t2_rows(files: Files) -> Rows:
    """Graded passages of a tenth of the queries; at a query's first full answer the choice among its passages."""
    judged = Judged(files)

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        if not is_drawn(raw):
            yield Drop("not drawn")
            return
        query, text = judged.queries.get((raw.file, raw["qid"])), judged.texts.get(raw["pid"])
        if raw["rel"] not in ("0", "1", "2", "3") or not query or not text:
            yield Drop("no grade, query or passage")
            return
        key = f"{raw.file.split('.')[1]}-{raw['qid']}-{raw['pid']}"
        chosen = judged.select(raw, key, query)
        if chosen:
            yield chosen
        fits = len(text) <= LONGEST
        yield passage_row(raw, key, query, text, int(raw["rel"])) if fits else Drop("passage over 1,200 characters")

    return rows


def texts_of(passages: Sequence[dict[str, str]] | None) -> list[str]:
    """Texts of a record's passages that are neither empty nor too long."""
    texts = [str(passage.get("text") or "").strip() for passage in passages or ()]
    return [text for text in texts if 0 < len(text) <= LONGEST]


def du_rows(raw: Raw) -> Iterator[Row | Drop]:
    """One passage of a query, annotated or retrieved, and the choice of an annotated one among the retrieved.

    Retrieved passages of the dev file were checked by people, those of the train file were not.
    """
    query, key = str(raw.get("query") or "").strip(), f"{raw.file.split('.')[0]}-{raw.get('query_id', raw.line)}"
    right, wrong = texts_of(raw.get("positive_passages")), texts_of(raw.get("negative_passages"))
    wrong = [text for text in wrong if text not in right]
    if not query or not right or not wrong:
        yield Drop("no query, or not both kinds of passages")
        return
    tier: Tier = "weak" if raw.split == "train" else "gold"
    own = draw("du_retrieval", key, "own") < 0.5
    yield passage_row(raw, key, query, pick(right if own else wrong, key, "passage"), own, tier)
    short = [text for text in right if len(text) <= SHOWN]
    chosen = select_row(raw, key, query, pick(short, key, "short"), wrong, tier) if short else None
    if chosen:
        yield chosen


class Domain:
    """Queries of one domain of Multi-CPR by file and id, with the passage annotated for each."""

    def __init__(self, files: Files, name: str) -> None:
        self.queries = {
            (f"{name}/qrels.{part}.tsv", raw.value[0]): raw.value[1].strip()
            for part in ("train", "dev")
            for raw in files.read(f"{name}/{part}.query.txt")
            if len(raw.value) == 2
        }
        pairs = (raw for part in ("train", "dev") for raw in files.read(f"{name}/qrels.{part}.tsv"))
        passages = {(raw.file, raw.value[0]): raw.value[2] for raw in pairs if len(raw.value) == 4}
        wanted = set(passages.values())
        texts = {
            raw.value[0]: raw.value[1].strip()
            for raw in files.read(f"{name}/corpus.tsv")
            if len(raw.value) == 2 and raw.value[0] in wanted
        }
        self.passage = {
            self.queries[place]: texts[pid]
            for place, pid in passages.items()
            if self.queries.get(place) and texts.get(pid)
        }
        self.neighbours = Neighbours(list(self.passage))

    def others(self, query: str) -> list[str]:
        """Passages of similar queries that hold less than half of this query's pieces."""
        own = Neighbours.pieces(query)
        found = dict.fromkeys(self.passage[near] for near in self.neighbours.of(query, 8))
        return [
            text for text in found if 2 * len(own & Neighbours.pieces(text)) < len(own) and text != self.passage[query]
        ]


def cpr_rows(files: Files) -> Rows:
    """A query's own passage or one of a similar query; or the choice of its own among several."""
    domains = {name: Domain(files, name) for name in DOMAINS}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        name, _, part = raw.file.partition("/")
        domain, key = domains[name], f"{name}-{part.split('.')[1]}-{raw.value[0]}"
        query = domain.queries.get((raw.file, raw.value[0]), "")
        right = domain.passage.get(query, "")
        if len(raw.value) != 4 or raw.value[3] != "1" or not right or len(right) > LONGEST:
            yield Drop("no query or passage, or a passage over 1,200 characters")
        elif draw("multi_cpr", key) >= CPR_SHARE:
            yield Drop("not drawn")
        elif not (others := [text for text in domain.others(query) if len(text) <= LONGEST]):
            yield Drop("no similar query")
        else:
            yield select_or_judge(raw, key, query, right, others)

    return rows


def select_or_judge(raw: Raw, key: str, query: str, right: str, others: Sequence[str]) -> Row:
    """Choice of a query's own passage in half of the rows that allow it, else a question about one passage."""
    chosen = select_row(raw, key, query, right, others, "constructed") if draw(key, "form") < 0.5 else None
    own = draw(key, "own") < 0.5
    shown = right if own else others[0]
    return chosen or passage_row(raw, key, query, shown, own, "constructed")


SOURCES = (
    Source(
        name="t2ranking", home="https://github.com/THUIR/T2Ranking", licence="Apache-2.0", licence_class="open",
        languages=("zh",), capabilities=("relevance", "serp_select"), prepare=guarded_files(t2_rows), note=UNCHECKED,
        files=(
            File(name="qrels.train.tsv", reader="tsv", split="train"),
            File(name="qrels.dev.tsv", reader="tsv", split="test"),
            File(name="queries.train.tsv", reader="tsv", joined=True),
            File(name="queries.dev.tsv", reader="tsv", joined=True),
            File(name="collection.tsv", reader="tsv", joined=True),
        ),
    ),
    Source(
        name="du_retrieval", home="https://github.com/baidu/DuReader/tree/master/DuReader-Retrieval",
        licence="Apache-2.0", licence_class="open", languages=("zh",), capabilities=("relevance", "serp_select"),
        rows=guarded(du_rows), note=f"{UNCHECKED}; negatives of the train file are retrieved, not judged",
        files=(File(name="train.jsonl", split="train"), File(name="dev.jsonl", split="test")),
    ),
    Source(
        name="multi_cpr", home="https://github.com/Alibaba-NLP/Multi-CPR", licence="not stated",
        licence_class="unknown", languages=("zh",), capabilities=("relevance", "serp_select"),
        prepare=guarded_files(cpr_rows),
        note=f"{UNCHECKED}; only relevant pairs were annotated, others are passages of similar queries",
        files=tuple(
            File(
                name=f"{domain}/{name}", reader="tsv_plain", joined=not name.startswith("qrels"),
                split="train" if "train" in name else "test" if "dev" in name else None,
            )
            for domain in DOMAINS
            for name in ("qrels.train.tsv", "qrels.dev.tsv", "train.query.txt", "dev.query.txt", "corpus.tsv")
        ),
    ),
)  # fmt: skip
