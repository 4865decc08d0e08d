"""Search decisions from multi-hop questions whose supporting pages are annotated.

A `Problem` holds a question, its pages and which of them the answer needs. Every row is a state with either all needed
pages or all but one: the missing page is replaced by a distractor, so that the number of pages says nothing.
"""

from collections.abc import Iterator

from searchjev.digest import draw
from searchjev.recipes.hops.evidence import MIN_RESULTS, enough, marginal, retrieval, select, stop
from searchjev.recipes.hops.problem import Hop, Page, Problem, window
from searchjev.recipes.hops.queries import plain, queries
from searchjev.source import Row

__all__ = [
    "Hop",
    "Page",
    "Problem",
    "enough",
    "evidence_rows",
    "marginal",
    "plain",
    "queries",
    "retrieval",
    "rows",
    "select",
    "stop",
    "window",
]


def rows(problem: Problem) -> Iterator[Row]:
    """All rows of one problem that has enough distractors."""
    yield from evidence_rows(problem)
    yield from queries(problem)


def evidence_rows(problem: Problem) -> Iterator[Row]:
    """Rows about the evidence of one problem that has enough distractors; its pages may be untitled."""
    for complete in (True, False):
        yield enough(problem, complete=complete)
    for useful in (True, False):
        yield marginal(problem, useful=useful)
    yield stop(problem, complete=draw(problem.id, "stop") < 0.5)
    yield retrieval(problem, complete=draw(problem.id, "retrieval") < 0.5)
    if len(problem.distractors) >= MIN_RESULTS - 1:
        yield from select(problem)
