"""Rows about the evidence of a multi-hop question: enough, stop, gain of a page or a search, which result to open."""

from collections.abc import Iterator
from typing import Any

from searchjev.digest import digest, draw, shuffled
from searchjev.recipes.hops.problem import (
    Golds,
    Problem,
    as_result,
    as_state,
    gathered,
    hard,
    make,
    page_list,
    snippet,
    sure_missing,
)
from searchjev.schema import Choice, Noul, State
from searchjev.source import Row

MIN_RESULTS, MAX_RESULTS = 4, 6


def enough(problem: Problem, *, complete: bool) -> Row:
    """Is the evidence enough? With all needed pages, or with one of them replaced by a distractor."""
    seed = (problem.source, problem.id, "enough")
    state: State = {"question": problem.question, "evidence": gathered(problem, complete=complete, seed=seed)}
    name = "all" if complete else "lacking"
    return make(problem, "evidence_sufficiency_state", name, state, {"enough": (Noul(), complete)})


def stop(problem: Problem, *, complete: bool) -> Row:
    """May the search stop? The budget is drawn apart from the answer."""
    seed = (problem.source, problem.id, "stop")
    state: State = {
        "question": problem.question,
        "evidence": gathered(problem, complete=complete, seed=seed),
        "searches_left": str(1 + digest(*seed, "left") % 6),
    }
    step = Choice({"answer": None, "search": None})
    golds: Golds = {"stop": (Noul(), complete), "next_step": (step, "answer" if complete else "search")}
    return make(problem, "stop_boundary", "all" if complete else "lacking", state, golds)


def retrieval(problem: Problem, *, complete: bool) -> Row:
    """Would another search help? The last results, all distractors, are listed beside the evidence."""
    seed = (problem.source, problem.id, "retrieval")
    kept = list(problem.needed)
    if not complete:
        kept[kept.index(sure_missing(problem, *seed))] = hard(problem, 1, *seed, str(complete))[0]
    rest = [i for i in shuffled(problem.distractors, *seed, "rest") if i not in kept][: 2 + digest(*seed) % 2]
    results = [as_result(problem.pages[i]) for i in rest]
    state: State = {
        "question": problem.question,
        "evidence": page_list(problem, kept, *seed, "order"),
        "last_results": results,
    }
    return make(problem, "retrieval_gain", "", state, {"helps": (Noul(), not complete)})


def marginal(problem: Problem, *, useful: bool) -> Row:
    """Does a new page add what is needed? Not useful: a distractor, now and then beside evidence that is complete."""
    seed = (problem.source, problem.id, "marginal", str(useful))
    missing = sure_missing(problem, *seed)
    kept = [i for i in problem.needed if i != missing]
    extra = hard(problem, 2, *seed)
    if draw(*seed, "extra") < 0.5:
        kept.append(missing if not useful and draw(*seed, "full") < 0.5 else extra[0])
    new = missing if useful else extra[1]
    state: State = {
        "question": problem.question,
        "evidence": page_list(problem, kept, *seed, "order"),
        "new_page": as_state(problem.pages[new]),
    }
    name = "new" if useful else "nothing"
    return make(problem, "marginal_gain", name, state, {"useful": (Noul(), useful)})


def select(problem: Problem) -> Iterator[Row]:
    """Which result to open, given all needed pages but one; none where titles repeat."""
    seed = (problem.source, problem.id, "select")
    missing = sure_missing(problem, *seed)
    count = MIN_RESULTS - 1 + digest(*seed, "count") % (MAX_RESULTS - MIN_RESULTS + 1)
    results = shuffled([missing, *hard(problem, count, *seed)], *seed, "order")
    pages = [problem.pages[i] for i in results]
    titled = all(page.title for page in pages)
    if titled and len({page.title for page in pages}) < len(pages):
        return
    state: dict[str, Any] = {"question": problem.question}
    if len(problem.needed) > 1:
        state["evidence"] = page_list(problem, [i for i in problem.needed if i != missing], *seed, "evidence")
    if titled and draw(*seed, "form") < 0.5:
        state["results"] = [as_result(page) for page in pages]
        question, gold = Choice({page.title: None for page in pages}), problem.pages[missing].title
    else:
        names = [f"r{i}" for i in range(1, len(pages) + 1)]
        texts = [f"{page.title}: {snippet(page)}" if page.title else snippet(page) for page in pages]
        question, gold = Choice(dict(zip(names, texts, strict=True))), names[results.index(missing)]
    yield make(problem, "serp_select", "", state, {"open": (question, gold)})
