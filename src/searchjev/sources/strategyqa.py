"""StrategyQA: yes/no questions with an implicit strategy, the facts behind it and its steps (Geva et al. 2021)."""

from collections.abc import Iterator

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.recipes.hops import Page, Problem, enough, marginal, retrieval, stop
from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (File(name="train.json", reader="json", split="train"), File(name="dev.json", reader="json", split="val"))
OTHERS = 5
WRONG = 3


def words(text: str) -> frozenset[str]:
    """Words of five letters and more."""
    return frozenset(word for word in text.lower().split() if len(word) > 4)


def near(texts: list[tuple[str, frozenset[str]]], question: str, count: int) -> list[str]:
    """Texts that share words with the question, of a pool drawn by it."""
    wanted = words(question)
    start = digest(question) % len(texts)
    pool = [texts[(start + 7 * i) % len(texts)] for i in range(min(1500, len(texts)))]
    ranked = sorted(pool, key=lambda item: len(wanted & item[1]), reverse=True)
    return list(dict.fromkeys(text for text, _ in ranked))[: 2 * count]


def prepare(files: Files) -> Rows:
    """Rows with distractor facts and steps taken from other questions of the same file."""
    facts: dict[str, list[tuple[str, frozenset[str]]]] = {}
    steps: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for file in FILES:
        records = [raw.value for raw in files.read(file.name)]
        facts[file.name] = [(fact.strip(), words(fact)) for record in records for fact in record["facts"]]
        openings = [step for record in records for step in record["decomposition"] if "#" not in step]
        steps[file.name] = [(step, words(step)) for step in openings]

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        own = list(dict.fromkeys(fact.strip() for fact in raw["facts"] if fact.strip()))
        others = [fact for fact in near(facts[raw.file], raw["question"], OTHERS) if fact not in own][:OTHERS]
        if len(own) < 2 or len(others) < 4:
            yield Drop("fewer than two facts")
            return
        yield from fact_rows(raw, own, others)
        asked = near(steps[raw.file], raw["question"], WRONG)
        yield from query_rows(raw, [step for step in asked if step not in raw["decomposition"]])

    return to_rows


def fact_rows(raw: Raw, own: list[str], others: list[str]) -> Iterator[Row]:
    """Rows about facts as evidence."""
    pages = tuple(Page("", (fact,)) for fact in [*own, *others])
    problem = Problem(
        "strategyqa", raw["qid"], raw["question"].strip(), "", pages, tuple(range(len(own))), split=raw.split
    )
    side = draw(raw["qid"], "side") < 0.5
    yield enough(problem, complete=side)
    yield pick(
        (marginal(problem, useful=side), stop(problem, complete=side), retrieval(problem, complete=side)), raw["qid"]
    )


def query_rows(raw: Raw, wrong: list[str]) -> Iterator[Row]:
    """Which sub-question to search first: one of its own openings among those of other questions."""
    openings = [step for step in raw["decomposition"] if "#" not in step]
    if not openings or len(wrong) < WRONG:
        return
    right = openings[0]
    options = shuffled([right, *wrong[:WRONG]], raw["qid"], "options")
    question = Choice(dict.fromkeys(options))
    yield Row(
        upstream_id=f"{raw['qid']}-first",
        capability="next_query",
        language="en",
        state={"question": raw["question"].strip(), "topic": f"{raw['term']}: {raw['description']}"},
        questions={"query": question},
        answers={"query": target(question, right)},
        tier="derived",
        origin="derived",
        split=raw.split,
        mother=raw["qid"],
    )


SOURCES = (
    Source(
        name="strategyqa",
        home="https://github.com/eladsegal/strategyqa",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=(
            "evidence_sufficiency_state",
            "marginal_gain",
            "next_query",
            "retrieval_gain",
            "stop_boundary",
        ),
        files=FILES,
        prepare=prepare,
    ),
)
