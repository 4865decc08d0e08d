"""`searchjev VERB ...`: finds the verb's file, runs it, and turns errors into one line and an exit status.

A verb is a module here with `HELP`, `add_arguments(parser)` and `run(args) -> int`; it is imported only when named, so
help stays fast. Exit status: 0 done, 1 a bug or a failed check, 2 something the person can mend.
"""

import argparse
import importlib
import logging
import sys
from collections.abc import Callable, Sequence

from searchjev.errors import SearchjevError

VERBS = {
    "ask": "answer typed questions about a state",
    "serve": "serve the System One wire contract over HTTP",
    "sources": "list the sources, show one",
    "fetch": "download source files, or say how to get them",
    "models": "fetch base weights and tokenizers",
    "build": "turn source files into a release",
    "verify": "re-derive a release's claims from its files",
    "train": "train a model on a release",
    "calibrate": "fit a bundle's calibration on held-out rows",
    "evaluate": "measure a bundle on a release",
    "export": "make a bundle of a training run",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _parser()
    if arguments and arguments[0] in VERBS:
        verb = importlib.import_module(f"searchjev.cli.{arguments[0]}")
        verb_parser = argparse.ArgumentParser(prog=f"searchjev {arguments[0]}", description=verb.__doc__)
        verb.add_arguments(verb_parser)
        return _run(verb.run, verb_parser.parse_args(arguments[1:]))
    parser.parse_args(arguments)
    parser.print_help()
    return 2


def _parser() -> argparse.ArgumentParser:
    verbs = "\n".join(f"  {name:<10} {text}" for name, text in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="searchjev",
        description="Calibrated System-1 decisions for search agents.",
        epilog=f"verbs:\n{verbs}\n\n'searchjev VERB --help' explains one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"searchjev {_version()}")
    parser.add_argument("verb", nargs="?", choices=list(VERBS), metavar="VERB")
    return parser


def _version() -> str:
    from importlib.metadata import version

    return version("searchjev")


def _run(run: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        return int(run(args))
    except SearchjevError as error:
        print(f"searchjev: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("searchjev: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
