"""KUAKE-QQR: medical search queries and candidates that ask for the same, for less or for more (CBLUE).

Label 0 merges broader with unrelated candidates, so it is one option here too.
"""

from collections import defaultdict
from collections.abc import Iterator

from searchjev.digest import digest, draw, shuffled
from searchjev.schema import Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (
    File(name="KUAKE-QQR_train.json", reader="json", split="train"),
    File(name="KUAKE-QQR_dev.json", reader="json", split="val"),
)
RELATIONS = {"2": "equivalent", "1": "narrower", "0": "other"}
PAIR_SHARE = {"2": 1.0, "1": 1.0, "0": 0.4}
"""Share of the pairs of each label that give a row of their own: two thirds of the file carry label 0."""
REWRITE_SHARE = 0.3
SPECIFIC_SHARE = {"2": 0.4, "1": 0.9, "0": 0.0}
MAX_OPTIONS = 5


def pair_row(raw: Raw, key: str) -> Row:
    """Row of one pair: the relation and whether both ask for the same, or whether the second is a sound rewrite."""
    query, other, label = raw["query1"], raw["query2"], raw["label"]
    rewrite = label != "1" and draw(query, other, "rewrite") < REWRITE_SHARE
    questions: dict[str, Question] = {"keeps_intent": Noul()}
    if not rewrite:
        questions = {"relation": Choice(dict.fromkeys(RELATIONS.values())), "same": Noul()}
    gold: dict[str, str | bool] = {"relation": RELATIONS[label]}
    return Row(
        upstream_id=key,
        capability="rewrite" if rewrite else "intent_equivalence",
        language="zh",
        state={"query": query, "rewrite" if rewrite else "other": other},
        questions=questions,
        answers={name: target(question, gold.get(name, label == "2")) for name, question in questions.items()},
        split=raw.split,
        group_keys=(f"text:{query}", f"text:{other}"),
        mother=query,
    )


def specific_row(raw: Raw, key: str) -> Row:
    """Row of a pair of which one narrows the other, or neither does; the order is drawn."""
    query, other, narrows = raw["query1"], raw["query2"], raw["label"] == "1"
    turned = draw(key, "order") < 0.5
    pair = (other, query) if turned else (query, other)
    question = Choice(dict.fromkeys(("first", "second", "neither")))
    gold = ("first" if turned else "second") if narrows else "neither"
    return Row(
        upstream_id=key,
        capability="query_info",
        language="zh",
        state={"query": pair[0], "other": pair[1]},
        questions={"more_specific": question},
        answers={"more_specific": target(question, gold)},
        split=raw.split,
        group_keys=(f"text:{query}", f"text:{other}"),
        mother=query,
    )


def choice_row(raw: Raw, candidates: list[tuple[str, str]]) -> Row | None:
    """Row that picks the one equal candidate of a query among unequal ones; None where there aren't three."""
    query = raw["query1"]
    right = [text for text, label in candidates if label == "2" and text != query]
    wrong = [text for text, label in candidates if label == "0" and text != query and text not in right]
    if not right or len(wrong) < 2:
        return None
    wanted = min(right, key=lambda text: digest(query, text))
    others = shuffled(list(dict.fromkeys(wrong)), query)[: 2 + digest(query, "count") % (MAX_OPTIONS - 2)]
    question = Choice(dict.fromkeys(shuffled([wanted, *others], query, "order")))
    return Row(
        upstream_id=f"{raw.file.split('.')[0]}-{query}",
        capability="rewrite",
        language="zh",
        state={"query": query},
        questions={"which_rewrite": question},
        answers={"which_rewrite": target(question, wanted)},
        tier="derived",
        split=raw.split,
        group_keys=(f"text:{query}", *(f"text:{text}" for text in question.criteria)),
        mother=query,
    )


class Candidates:
    """Candidates of every query of a file, and the line of its first pair."""

    def __init__(self, files: Files) -> None:
        self._texts: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        self._first: dict[tuple[str, str], int] = {}
        for raw in (raw for file in FILES for raw in files.read(file.name)):
            self._texts[raw.file, raw["query1"]].append((raw["query2"], raw["label"]))
            self._first.setdefault((raw.file, raw["query1"]), raw.line)

    def choice_row(self, raw: Raw) -> Row | None:
        """Row of the choice among a query's candidates, at its first pair only."""
        place = raw.file, raw["query1"]
        return choice_row(raw, self._texts[place]) if self._first[place] == raw.line else None


def reason_against(raw: Raw, key: str) -> str | None:
    """Why a pair gives no row of its own; None when it does."""
    if raw["label"] not in RELATIONS:
        return "no label"
    if raw["query1"] == raw["query2"]:
        return "a query paired with itself"
    return None if draw(key, "kept") < PAIR_SHARE[raw["label"]] else "thinned out: label 0 is two thirds of the file"


def prepare(files: Files) -> Rows:
    """Rows of pairs, and at a query's first pair the choice among its candidates."""
    candidates = Candidates(files)

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        chosen = candidates.choice_row(raw)
        if chosen:
            yield chosen
        key = f"{raw.file.split('.')[0]}-{raw['id']}"
        reason = reason_against(raw, key)
        yield Drop(reason) if reason else pair_row(raw, key)
        if not reason and draw(key, "specific") < SPECIFIC_SHARE[raw["label"]]:
            yield specific_row(raw, key)

    return to_rows


SOURCES = (
    Source(
        name="kuake_qqr",
        home="https://github.com/CBLUEbenchmark/CBLUE",
        licence="CBLUE data, research use",
        licence_class="research",
        languages=("zh",),
        capabilities=("intent_equivalence", "query_info", "rewrite"),
        files=FILES,
        prepare=prepare,
    ),
)
