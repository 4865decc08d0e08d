"""A multi-hop question with its pages, and how states are drawn from it."""

import functools
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.schema import Language, Question, State, target
from searchjev.source import Row, SplitName

PAGE_CHARS = 300
SNIPPET_CHARS = 160
Golds: TypeAlias = dict[str, tuple[Question, Any]]
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")


class Page(NamedTuple):
    """One page: title, sentences (each with its leading space), and the last sentence that matters (0 if unknown)."""

    title: str
    sentences: tuple[str, ...]
    focus: int = 0


class Hop(NamedTuple):
    """One step: its query, the page that answers it, and distractor queries of the same form."""

    query: str
    page: int
    others: tuple[str, ...] = ()


class Problem(NamedTuple):
    """A multi-hop question with its pages; `needed` are the places of the supporting pages in hop order.

    `key` are the needed pages without which the answer is surely lacking; where it is empty, all of them.
    """

    source: str
    id: str
    question: str
    answer: str
    pages: tuple[Page, ...]
    needed: tuple[int, ...]
    hops: tuple[Hop, ...] = ()
    split: SplitName | None = None
    tie: str = ""
    language: Language = "en"
    key: tuple[int, ...] = ()

    @property
    def distractors(self) -> list[int]:
        """Places of the pages that the answer does not need."""
        return [i for i in range(len(self.pages)) if i not in self.needed]


def window(page: Page) -> str:
    """Leading sentences of a page up to its focus, or on to PAGE_CHARS; only whole sentences."""
    text = ""
    for i, sentence in enumerate(page.sentences):
        if i > page.focus and len(text) + len(sentence) > PAGE_CHARS:
            break
        text += sentence
    return text.strip()


def snippet(page: Page) -> str:
    """Leading sentence of a page, and the second where both are short."""
    text = page.sentences[0]
    if len(page.sentences) > 1 and len(text) + len(page.sentences[1]) <= SNIPPET_CHARS:
        text += page.sentences[1]
    return text.strip()


@functools.lru_cache(maxsize=512)
def overlap(question: str, page: Page) -> int:
    """Count the question's words that a page's title and first sentences hold."""
    words = set(_WORD.findall(question.lower()))
    return len(words & set(_WORD.findall(f"{page.title} {window(page)}".lower())))


def sure_missing(problem: Problem, *seed: str) -> int:
    """Place of the needed page to leave out: mostly the one that holds the answer."""
    answer = problem.answer.lower()
    places = problem.key or problem.needed
    holding = [i for i in places if answer in "".join(problem.pages[i].sentences).lower()]
    if len(holding) == 1 and draw(*seed, "which") < 0.6:
        return holding[0]
    return pick(places, *seed, "missing")


def hard(problem: Problem, count: int, *seed: str) -> list[int]:
    """Distractors, drawn from those whose words are nearest to the question."""
    ranked = sorted(
        shuffled(problem.distractors, *seed), key=lambda i: overlap(problem.question, problem.pages[i]), reverse=True
    )
    return shuffled(ranked[: count + 2], *seed, "hard")[:count]


def make(problem: Problem, capability: str, name: str, state: State, questions: Golds) -> Row:
    """Row of a problem; `questions` holds each question with its gold answer."""
    return Row(
        upstream_id=f"{problem.id}{name and '-'}{name}",
        capability=capability,
        language=problem.language,
        state=state,
        questions={qid: question for qid, (question, _) in questions.items()},
        answers={qid: target(question, gold) for qid, (question, gold) in questions.items()},
        tier="derived",
        origin="derived",
        split=problem.split,
        mother=problem.id,
        group_keys=(
            f"question:{problem.tie or problem.id}",
            *(f"page:{problem.pages[i].title}" for i in problem.needed if problem.pages[i].title),
        ),
    )


def page_list(problem: Problem, places: Iterable[int], *seed: str) -> list[dict[str, str]]:
    """Title and text of pages in an order fixed by the seed."""
    return [as_state(problem.pages[i]) for i in shuffled(list(places), *seed)]


def as_state(page: Page) -> dict[str, str]:
    """Page as it stands in a state; untitled pages have their text alone."""
    return {"title": page.title, "text": window(page)} if page.title else {"text": window(page)}


def as_result(page: Page) -> dict[str, str]:
    """Page as a search result."""
    return {"title": page.title, "snippet": snippet(page)} if page.title else {"snippet": snippet(page)}


def gathered(problem: Problem, *, complete: bool, seed: tuple[str, ...]) -> list[dict[str, str]]:
    """Evidence of 2 to 5 pages, all needed ones among them or all but one."""
    seed = (*seed, str(complete))
    kept = list(problem.needed)
    if not complete:
        kept.remove(sure_missing(problem, *seed))
    size = max(len(problem.needed), 2 + digest(*seed, "size") % 3)
    kept += hard(problem, size - len(kept), *seed)
    return page_list(problem, kept, *seed, "order")
