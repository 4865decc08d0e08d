"""Rows about queries of a multi-hop question: which one next, and whether a proposed one fits."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.recipes.hops.problem import Problem, hard, make, page_list, window
from searchjev.schema import Choice, Noul, Question
from searchjev.source import Row

_PARENTHESIS = re.compile(r"\s*\([^)]*\)$")
_NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:(?:of|the|and|in) ){0,2}[A-Z][\w'’-]+)+")
MOST_NAMES = 3


class Asked(NamedTuple):
    """A state that lacks one page, the query that goes for it, and queries that do not.

    `named` are those of the wrong ones that stand in the state, as the right one may: where there are any, one of them
    is always among the options, so that standing there tells nothing.
    """

    evidence: list[int]
    right: str
    wrong: list[str]
    named: list[str] = []


def queries(problem: Problem) -> Iterator[Row]:
    """Which query next, and does a proposed query fit; none where no good query is known."""
    asked = by_hop(problem) if problem.hops else by_title(problem)
    if asked is None or len(asked.wrong) < 2:
        return
    seed = (problem.source, problem.id, "query")
    state = {"question": problem.question, "evidence": page_list(problem, asked.evidence, *seed, "order")}
    options = shuffled([asked.right, *drawn(asked, 2 + digest(*seed) % 3, *seed, "wrong")], *seed, "options")
    capability = "next_query_zh" if problem.language == "zh" else "next_query"
    yield make(problem, capability, "", state, {"query": named_options(options, asked.right, *seed)})
    fits = draw(*seed, "fits") < 0.5
    proposed = asked.right if fits else pick(asked.named or asked.wrong, *seed, "proposed")
    yield make(problem, "query_fit", "", {**state, "proposed_query": proposed}, {"fits": (Noul(), fits)})


def drawn(asked: Asked, count: int, *seed: str) -> list[str]:
    """So many wrong queries, a named one first where there is any."""
    named = shuffled(asked.named, *seed, "named")[:1]
    return [*named, *(text for text in shuffled(asked.wrong, *seed) if text not in named)][:count]


def named_options(options: Sequence[str], right: str, *seed: str) -> tuple[Question, str]:
    """Choice among texts, named by themselves or by q1, q2, ..., and the right option's name."""
    if draw(*seed, "names") < 0.5:
        return Choice(dict.fromkeys(options)), right
    names = [f"q{i}" for i in range(1, len(options) + 1)]
    return Choice(dict(zip(names, options, strict=True))), names[options.index(right)]


def by_title(problem: Problem) -> Asked | None:
    """Queries that are names of pages; right is a missing page that the question or the evidence names."""
    for missing in shuffled(problem.needed, problem.id, "title"):
        kept = [i for i in problem.needed if i != missing]
        texts = " ".join([problem.question, *(window(problem.pages[i]) for i in kept)])
        right = plain(problem.pages[missing].title)
        if right.lower() in texts.lower():
            titles = [plain(problem.pages[i].title) for i in kept]
            named = distinct([*titles, *names(texts, problem, missing)], right)
            others = [plain(problem.pages[i].title) for i in hard(problem, 5, problem.id, "titles")]
            return Asked(kept, right, distinct([*named, *others], right), named)
    return None


def names(texts: str, problem: Problem, missing: int) -> list[str]:
    """A few names of two words or more that the texts hold, none of them of the missing page or a part of the title."""
    away = f"{problem.pages[missing].title} {problem.answer}".lower()
    found = [name for name in dict.fromkeys(_NAME.findall(texts)) if not _overlap(name.lower(), away)]
    return shuffled(found, problem.id, "names")[:MOST_NAMES]


def _overlap(name: str, away: str) -> bool:
    return any(word in away for word in name.split() if len(word) > 3)


def by_hop(problem: Problem) -> Asked | None:
    """Queries of the hops: right is the next one, wrong are those answered already and those of other things."""
    places = [i for i, hop in enumerate(problem.hops) if i and hop.others]
    if not places:
        return None
    now = pick(places, problem.id, "hop")
    done = problem.hops[:now]
    kept = list(dict.fromkeys(hop.page for hop in done))
    if problem.hops[now].page in kept:
        return None
    right = problem.hops[now].query
    return Asked(kept, right, distinct([*(hop.query for hop in done), *problem.hops[now].others], right))


def plain(title: str) -> str:
    """Return a title without its parenthesis: `Neil Peart (drummer)` is `Neil Peart`."""
    return _PARENTHESIS.sub("", title)


def distinct(texts: Iterable[str], but: str) -> list[str]:
    """Texts without repeats, less `but`, regardless of case."""
    found = {text.lower(): text for text in reversed(list(texts))}
    found.pop(but.lower(), None)
    return list(found.values())[::-1]
