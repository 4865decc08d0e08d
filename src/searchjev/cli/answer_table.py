"""Answers as a table with bars for a person at a terminal."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text as Line

from searchjev.prompt import as_text, option_texts
from searchjev.schema import Answer, ChoiceAnswer, NoulAnswer, Question, ScoreAnswer

BAR_CELLS = 24
MOST_OUTCOMES = 10
BLOCKS = " ▏▎▍▌▋▊▉█"


class Outcome(NamedTuple):
    """One outcome of a question, its probability, and whether it is the likeliest."""

    text: str
    probability: float
    is_best: bool


def print_answers(
    questions: Mapping[str, Question], answers: Mapping[str, Answer], console: Console | None = None
) -> None:
    """Print one block a question: what was asked, the answer, a bar for each outcome."""
    console = console or Console(highlight=False, markup=False)
    for name, question in questions.items():
        asked = "" if question.instructions is None else as_text(question.instructions)
        console.print(Line.assemble((name, "bold cyan"), "  ", asked))
        console.print(_table(question, answers[name]))
        console.print()


def headline(answer: Answer) -> str:
    """The answer in a few words."""
    if isinstance(answer, NoulAnswer):
        return f"P(true) {answer.noul:.3f}"
    if isinstance(answer, ChoiceAnswer):
        return f"{answer.choice}  (confidence {answer.confidence:.2f})"
    return f"level {answer.score:.2f} of 0 to {len(answer.probabilities) - 1}  (confidence {answer.confidence:.2f})"


def outcomes(question: Question, answer: Answer) -> Iterator[Outcome]:
    """Outcomes in the order of the question."""
    best = max(answer.distribution)
    for text, probability in zip(option_texts(question), answer.distribution, strict=True):
        yield Outcome(text, probability, probability == best)


def bar(probability: float, cells: int = BAR_CELLS) -> str:
    """Bar of eighths of a cell."""
    eighths = round(probability * cells * 8)
    full, rest = divmod(eighths, 8)
    return BLOCKS[8] * full + (BLOCKS[rest] if rest else "")


def _table(question: Question, answer: Answer) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(width=1)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(width=BAR_CELLS, no_wrap=True)
    table.add_row("", Line(headline(answer), style="bold"), "", "")
    shown = list(outcomes(question, answer))
    # levels have an order that a reader follows, options of a long list are read from the likeliest
    if len(shown) > MOST_OUTCOMES and not isinstance(answer, ScoreAnswer):
        shown.sort(key=lambda outcome: -outcome.probability)
    for outcome in shown[:MOST_OUTCOMES]:
        style = "green" if outcome.is_best else ""
        table.add_row(
            "", Line(outcome.text, style), f"{outcome.probability:.3f}", Line(bar(outcome.probability), style)
        )
    left = shown[MOST_OUTCOMES:]
    if left:
        table.add_row("", f"{len(left)} more", f"{sum(o.probability for o in left):.3f}", "")
    return table
