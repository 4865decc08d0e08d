"""MIMICS-Manual and MIMICS-Duo: Bing queries with rated clarification panes (Zamani 2020, Tavakoli 2022)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import digest, draw, shuffled
from searchjev.schema import Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

MANUAL = File(name="MIMICS-Manual.tsv", reader="tsv")
RATED = File(name="Task1-OfflineRating.tsv", reader="tsv", split="test")
CLEAR_GAP = 2
"""Difference of ratings (1 to 5) that makes one pane the better one."""

PAIR_KINDS = ("first", "second", "neither")


class Pane(NamedTuple):
    """One clarifying question with its candidate answers."""

    query: str
    question: str
    options: tuple[str, ...]

    @property
    def text(self) -> str:
        """Pane as the user would be asked."""
        return f"{self.question}: {' / '.join(self.options)}"

    @property
    def refinements(self) -> list[str]:
        """Candidate answers that hold the whole query and more."""
        words = set(self.query.split())
        return [option for option in self.options if words < set(option.split())]


def pane_of(raw: Raw) -> Pane:
    """Pane of a record of any of the files."""
    options = tuple(raw[f"option_{i}"].strip() for i in range(1, 6))
    return Pane(raw["query"].strip(), raw["question"].strip(), tuple(option for option in options if option))


class Panes:
    """The first line of every query, its refinements, and its rated panes."""

    def __init__(self, records: Iterator[Raw]) -> None:
        self.first: dict[str, int] = {}
        self.refinements: dict[str, dict[str, None]] = defaultdict(dict)
        self.rated: dict[str, dict[str, int]] = defaultdict(dict)
        for raw in records:
            pane = pane_of(raw)
            self.first.setdefault(pane.query, raw.line)
            self.refinements[pane.query].update(dict.fromkeys(pane.refinements))
            rating = raw.get("offline rating", "")
            if rating:
                self.rated[pane.query].setdefault(pane.text, int(rating))


def row(raw: Raw, capability: str, query: str, state: dict[str, Any], asked: tuple[str, Question, Any]) -> Row:
    """Row with one question about a query's refinements or panes."""
    name, question, gold = asked
    return Row(
        upstream_id=f"{raw.file.split('.')[0]}-{raw.line}-{name}",
        capability=capability,
        language="en",
        state=state,
        questions={name: question},
        answers={name: target(question, gold)},
        tier="gold" if name == "which_question" else "derived",
        origin="native" if name == "which_question" else "derived",
        split=raw.split,
        mother=query,
        group_keys=(f"text:{query}",),
    )


def refined_row(raw: Raw, query: str, refinements: list[str]) -> Row:
    """Row of a query beside a refinement of it, in either order, or of two refinements of the same length."""
    chosen = shuffled(refinements, query, "refinements")
    level = [text for text in chosen[1:] if len(text.split()) == len(chosen[0].split())]
    kinds = PAIR_KINDS if level else PAIR_KINDS[:2]
    kind = kinds[digest(query, "pair kind") % len(kinds)]
    pair = {"first": (chosen[0], query), "second": (query, chosen[0]), "neither": (chosen[0], *level[:1])}[kind]
    question = Choice(dict.fromkeys(PAIR_KINDS))
    return row(raw, "query_info", query, {"query": pair[0], "other": pair[1]}, ("more_specific", question, kind))


def specific_row(raw: Raw, query: str, refinements: list[str]) -> Row:
    """Row of a query that was found to want clarification, or of one refinement of it."""
    is_refined = draw(query, "specific") < 0.5
    text = shuffled(refinements, query, "specific one")[0] if is_refined else query
    return row(raw, "query_info", query, {"query": text}, ("specific", Noul(), is_refined))


def best_row(raw: Raw, query: str, ratings: dict[str, int]) -> Row | None:
    """Row that picks a query's best pane; None where no pane is clearly better than two or more of the others."""
    best = max(ratings, key=lambda text: ratings[text])
    worse = [text for text in ratings if ratings[text] <= ratings[best] - CLEAR_GAP and sorted(text) != sorted(best)]
    if not worse:
        return None
    question = Choice(dict.fromkeys(shuffled([best, *worse[:4]], query, "panes")))
    return row(raw, "clarify_decision", query, {"query": query}, ("which_question", question, best))


def prepare_for(file: File) -> Any:  # noqa: ANN401 - a prepare function
    """Prepare function of one file: rows come at a query's first record."""

    def prepare(files: Files) -> Rows:
        panes = Panes(files.read(file.name))

        def to_rows(raw: Raw) -> Iterator[Row | Drop]:
            query = raw["query"].strip()
            if panes.first.get(query) != raw.line:
                yield Drop("query met before")
                return
            found = list(rows_of(raw, query, list(panes.refinements[query]), panes.rated.get(query, {})))
            yield from found
            if not found:
                yield Drop("neither a refinement nor a clearly better pane")

        return to_rows

    return prepare


def rows_of(raw: Raw, query: str, refinements: list[str], ratings: dict[str, int]) -> Iterator[Row]:
    """Rows of one query."""
    if refinements and draw(query, "which row") < 0.5:
        yield refined_row(raw, query, refinements)
    elif refinements:
        yield specific_row(raw, query, refinements)
    best = best_row(raw, query, ratings) if ratings else None
    if best:
        yield best


SOURCES = (
    Source(
        name="mimics_manual",
        home="https://github.com/microsoft/MIMICS",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("query_info",),
        files=(MANUAL,),
        prepare=prepare_for(MANUAL),
    ),
    Source(
        name="mimics_duo",
        home="https://github.com/Leila-Ta/MIMICS-Duo",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("clarify_decision", "query_info"),
        files=(RATED,),
        prepare=prepare_for(RATED),
        held_out="test",
    ),
)
