"""Search decisions from multi-hop questions whose supporting pages are annotated.

A `Problem` holds a question, its pages and which of them the answer needs. Every row is a state with either all needed
pages or all but one: the missing page is replaced by a distractor, so that the number of pages says nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.schema import Choice, Language, Noul, Question, State, target
from searchjev.source import Row, SplitName

PAGE_CHARS = 300
SNIPPET_CHARS = 160
MIN_RESULTS, MAX_RESULTS = 4, 6
Golds: TypeAlias = dict[str, tuple[Question, Any]]
_WORD = re.compile(r"\w+")
_PARENTHESIS = re.compile(r"\s*\([^)]*\)$")


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
    """A multi-hop question with its pages; `needed` are the places of the supporting pages in hop order."""

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


def overlap(question: str, page: Page) -> int:
    """Count the question's words that a page's title and first sentences hold."""
    words = set(_WORD.findall(question.lower()))
    return len(words & set(_WORD.findall(f"{page.title} {window(page)}".lower())))


def sure_missing(problem: Problem, *seed: str) -> int:
    """Place of the needed page to leave out: mostly the one that holds the answer."""
    answer = problem.answer.lower()
    holding = [i for i in problem.needed if answer in "".join(problem.pages[i].sentences).lower()]
    if len(holding) == 1 and draw(*seed, "which") < 0.6:
        return holding[0]
    return pick(problem.needed, *seed, "missing")


def hard(problem: Problem, count: int, *seed: str) -> list[int]:
    """Distractors, drawn from those whose words are nearest to the question."""
    ranked = sorted(
        shuffled(problem.distractors, *seed), key=lambda i: overlap(problem.question, problem.pages[i]), reverse=True
    )
    return shuffled(ranked[: count + 2], *seed, "hard")[:count]


def rows(problem: Problem) -> Iterator[Row]:
    """All rows of one problem that has enough distractors."""
    for complete in (True, False):
        yield enough(problem, complete=complete)
    for useful in (True, False):
        yield marginal(problem, useful=useful)
    yield stop(problem, complete=draw(problem.id, "stop") < 0.5)
    yield retrieval(problem, complete=draw(problem.id, "retrieval") < 0.5)
    if len(problem.distractors) >= MIN_RESULTS - 1:
        yield from select(problem)
    yield from queries(problem)


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
            *(f"page:{problem.pages[i].title}" for i in problem.needed),
        ),
    )


def page_list(problem: Problem, places: Iterable[int], *seed: str) -> list[dict[str, str]]:
    """Title and text of pages in an order fixed by the seed."""
    return [{"title": problem.pages[i].title, "text": window(problem.pages[i])} for i in shuffled(list(places), *seed)]


def gathered(problem: Problem, *, complete: bool, seed: tuple[str, ...]) -> list[dict[str, str]]:
    """Evidence of 2 to 5 pages, all needed ones among them or all but one."""
    seed = (*seed, str(complete))
    kept = list(problem.needed)
    if not complete:
        kept.remove(sure_missing(problem, *seed))
    size = max(len(problem.needed), 2 + digest(*seed, "size") % 3)
    kept += hard(problem, size - len(kept), *seed)
    return page_list(problem, kept, *seed, "order")


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
    return make(problem, "stop_boundary", "", state, golds)


def retrieval(problem: Problem, *, complete: bool) -> Row:
    """Would another search help? The last results, all distractors, are listed beside the evidence."""
    seed = (problem.source, problem.id, "retrieval")
    kept = list(problem.needed)
    if not complete:
        kept[kept.index(sure_missing(problem, *seed))] = hard(problem, 1, *seed, str(complete))[0]
    rest = [i for i in shuffled(problem.distractors, *seed, "rest") if i not in kept][: 2 + digest(*seed) % 2]
    results = [{"title": problem.pages[i].title, "snippet": snippet(problem.pages[i])} for i in rest]
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
        "new_page": {"title": problem.pages[new].title, "text": window(problem.pages[new])},
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
    if len({page.title for page in pages}) < len(pages):
        return
    state: dict[str, Any] = {
        "question": problem.question,
        "evidence": page_list(problem, [i for i in problem.needed if i != missing], *seed, "evidence"),
    }
    if draw(*seed, "form") < 0.5:
        state["results"] = [{"title": page.title, "snippet": snippet(page)} for page in pages]
        question, gold = Choice({page.title: None for page in pages}), problem.pages[missing].title
    else:
        names = [f"r{i}" for i in range(1, len(pages) + 1)]
        texts = [f"{page.title}: {snippet(page)}" for page in pages]
        question, gold = Choice(dict(zip(names, texts, strict=True))), names[results.index(missing)]
    yield make(problem, "serp_select", "", state, {"open": (question, gold)})


class Asked(NamedTuple):
    """A state that lacks one page, the query that goes for it, and queries that do not."""

    evidence: list[int]
    right: str
    wrong: list[str]


def queries(problem: Problem) -> Iterator[Row]:
    """Which query next, and does a proposed query fit; none where no good query is known."""
    asked = by_hop(problem) if problem.hops else by_title(problem)
    if asked is None or len(asked.wrong) < 2:
        return
    seed = (problem.source, problem.id, "query")
    state = {"question": problem.question, "evidence": page_list(problem, asked.evidence, *seed, "order")}
    options = shuffled([asked.right, *shuffled(asked.wrong, *seed, "wrong")[: 2 + digest(*seed) % 3]], *seed, "options")
    capability = "next_query_zh" if problem.language == "zh" else "next_query"
    yield make(problem, capability, "", state, {"query": named_options(options, asked.right, *seed)})
    fits = draw(*seed, "fits") < 0.5
    proposed = asked.right if fits else pick(asked.wrong, *seed, "proposed")
    yield make(problem, "query_fit", "", {**state, "proposed_query": proposed}, {"fits": (Noul(), fits)})


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
        known = " ".join([problem.question, *(window(problem.pages[i]) for i in kept)]).lower()
        right = plain(problem.pages[missing].title)
        if right.lower() in known:
            places = [*kept, *hard(problem, 5, problem.id, "titles")]
            return Asked(kept, right, distinct((plain(problem.pages[i].title) for i in places), right))
    return None


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
