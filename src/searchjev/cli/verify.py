"""Re-derive a release's claims from its files; exit 1 where one fails, with file, line and field."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchjev.release.verify.claim import Claim

COLOURS = {"holds": "green", "fails": "bold red", "not checked": "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Release folder and how much to repeat."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="release directory")
    parser.add_argument("--full", action="store_true", help="count the tokens of every prompt again, not of a sample")
    parser.add_argument(
        "--tokenizer",
        metavar="FILE",
        default="~/.cache/searchjev/qwen3-tokenizer/tokenizer.json",
        help="tokenizer.json of the reference model (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Print claim, stated, found and verdict; name the first failure."""
    from searchjev.release.verify.run import verify

    claims = list(verify(args.release, Path(args.tokenizer).expanduser(), full=args.full))
    _print(claims)
    failed = [claim for claim in claims if claim.failed_at]
    if failed:
        print(f"searchjev: {args.release}: {failed[0].name} fails at {failed[0].failed_at}", file=sys.stderr)
    return 1 if failed else 0


def _print(claims: "list[Claim]") -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("claim", "stated", "found", "verdict", box=None, pad_edge=False)
    for claim in claims:
        colour = COLOURS[claim.verdict]
        table.add_row(
            escape(claim.name), escape(claim.stated), escape(claim.found), f"[{colour}]{claim.verdict}[/{colour}]"
        )
    Console(width=None if sys.stdout.isatty() else 160).print(table)
