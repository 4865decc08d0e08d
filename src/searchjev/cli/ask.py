"""Answer typed questions about a state, from a request file, standard input, or flags.

searchjev ask --state "Tim Burton directed Ed Wood." --noul "Does the text say who directed Ed Wood?"
searchjev ask --state "..." --choice "What next?" --option answer --option "search=search once more"
searchjev ask request.json        a request as the server takes it; - reads standard input
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from searchjev.errors import ConfigError, DataError
from searchjev.schema import Choice, Noul, Question, Score, State, Text
from searchjev.strict_json import parse_json
from searchjev.wire import WireError, parse_request

ASKING = {"noul": None, "choice": "option", "score": "level"}
"""The flag of each question type's statement, and of its outcomes."""


class Flag(NamedTuple):
    """A question flag as it stood on the command line; order ties outcomes to their question."""

    name: str
    text: str


class Asked(NamedTuple):
    """A state and the questions about it."""

    state: State
    questions: dict[str, Question]


class _InOrder(argparse.Action):
    """Collects all question flags in one list."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        flags: list[Flag] = getattr(namespace, "flags", None) or []
        namespace.flags = [*flags, Flag((option_string or "").lstrip("-"), str(values))]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Request file or flags, bundle, and form of the output."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", nargs="?", metavar="FILE", help="a request in JSON; - for standard input")
    parser.add_argument("--state", metavar="TEXT", help="the state, as text")
    for name, metavar, text in (
        ("noul", "STATEMENT", "ask how probable a statement is"),
        ("choice", "QUESTION", "ask which option; give its --option flags after it"),
        ("option", "NAME[=MEANING]", "an option of the --choice before it"),
        ("score", "QUESTION", "ask which level; give its --level flags after it, low to high"),
        ("level", "TEXT", "a level of the --score before it"),
    ):
        parser.add_argument(f"--{name}", action=_InOrder, metavar=metavar, help=text)
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="bundle to ask (default: the bundled model)")
    parser.add_argument("--json", action="store_true", help="print the answers as the server would")


def run(args: argparse.Namespace) -> int:
    """Decide and print the answers."""
    asked = asked_of(args)
    from searchjev.decide import SearchJev

    model = SearchJev.load(args.bundle)
    answers = model.decide(asked.state, asked.questions)
    if args.json:
        from searchjev.serve.service import printed

        body = {"model": model.info.name, "answers": printed(asked.questions, answers)}
        print(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        from searchjev.cli.answer_table import print_answers

        print_answers(asked.questions, answers)
    return 0


def asked_of(args: argparse.Namespace) -> Asked:
    """State and questions of the command line; an error names question and field."""
    flags: list[Flag] = getattr(args, "flags", None) or []
    if args.file is not None:
        if flags or args.state is not None:
            raise ConfigError("ask: a FILE and question flags, expected one of them; put all into the file")
        return from_request(_read(args.file), args.file)
    if args.state is None:
        raise ConfigError("ask: no state, expected FILE or --state TEXT; see 'searchjev ask --help'")
    if not flags:
        raise ConfigError("ask: no question, expected --noul, --choice or --score; see 'searchjev ask --help'")
    return Asked(args.state, questions_of(flags))


def from_request(body: bytes, name: str) -> Asked:
    """State and questions of a request body as the server takes it; its `model` may be missing here."""
    value, problems = parse_json(body)
    if not problems and isinstance(value, dict):
        body = json.dumps({"model": "", **value}).encode()
    try:
        request = parse_request(body)
    except WireError as error:
        raise DataError(f"{name}: {str(error).replace('body.', '')}") from None
    return Asked(request.state, request.questions)


def questions_of(flags: Sequence[Flag]) -> dict[str, Question]:
    """Questions q1, q2 .. in the order of the command line."""
    grouped: list[tuple[Flag, list[str]]] = []
    for flag in flags:
        if flag.name in ASKING:
            grouped.append((flag, []))
        elif grouped and ASKING[grouped[-1][0].name] == flag.name:
            grouped[-1][1].append(flag.text)
        else:
            owner = next(name for name, outcome in ASKING.items() if outcome == flag.name)
            raise ConfigError(f"--{flag.name} {flag.text!r}: expected after a --{owner}; move it behind its question")
    return {f"q{n}": _question(f"q{n}", flag, outcomes) for n, (flag, outcomes) in enumerate(grouped, 1)}


def _question(name: str, asking: Flag, outcomes: list[str]) -> Question:
    if asking.name == "noul":
        return Noul(asking.text)
    if not outcomes:
        raise ConfigError(f"questions.{name}.criteria: none, expected --{ASKING[asking.name]} flags after it")
    if asking.name == "score":
        levels: list[Text] = [*outcomes]
        return Score(levels, asking.text)
    return Choice(dict(_options(name, outcomes)), asking.text)


def _options(question: str, outcomes: Sequence[str]) -> Mapping[str, Text | None]:
    options: dict[str, Text | None] = {}
    for outcome in outcomes:
        name, described, meaning = outcome.partition("=")
        if name in options:
            raise ConfigError(f"questions.{question}.criteria: option {name!r} twice; give every option its own name")
        options[name] = meaning if described else None
    return options


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: {error.strerror}, expected a request in JSON") from None
