"""Download the files of sources, or say how a person gets them; what is there already is checked and left alone."""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from searchjev.errors import ConfigError, SourceError
from searchjev.fetch.address import address, suffix_of
from searchjev.fetch.download import RETRIES, Wanted, download
from searchjev.fetch.hub import HUB
from searchjev.fetch.present import is_checked
from searchjev.readers import locate
from searchjev.source import File, Source
from searchjev.sources import all_sources, get_source


class Outcome(NamedTuple):
    """What is still lacking of one source: files that a person must get, and how many could not be fetched."""

    by_hand: int
    failed: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which sources, where to, how often to try."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="sources to fetch")
    parser.add_argument("--all", action="store_true", help="fetch every source")
    parser.add_argument(
        "--sources", type=Path, default=Path("sources"), metavar="DIR", help="folder with one folder a source"
    )
    parser.add_argument(
        "--retries", type=int, default=RETRIES, metavar="N",
        help="how often in a row a download that brings nothing more is tried again (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--hub", default=HUB, metavar="URL", help="the hub or a mirror of it (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Fetch what has a url, print the steps for the rest; 0 only where every file that is needed is there."""
    outcomes = [_fetch_source(source, args) for source in _chosen(args)]
    failed = sum(bool(outcome.failed) for outcome in outcomes)
    by_hand = sum(bool(outcome.by_hand) and not outcome.failed for outcome in outcomes)
    complete = len(outcomes) - failed - by_hand
    print(f"{args.sources}: {complete} sources complete, {by_hand} to get by hand, {failed} failed")
    return 0 if complete == len(outcomes) else 2


def _chosen(args: argparse.Namespace) -> list[Source]:
    if bool(args.names) == args.all:
        found = "names and --all" if args.all else "no name"
        raise ConfigError(f"fetch: {found}, expected names or --all; run 'searchjev sources' for the list")
    if args.retries < 0:
        raise ConfigError(f"fetch: --retries {args.retries}, expected 0 or more; leave it out for {RETRIES}")
    return list(all_sources().values()) if args.all else [get_source(name) for name in dict.fromkeys(args.names)]


def _fetch_source(source: Source, args: argparse.Namespace) -> Outcome:
    """Every file of one source; one that fails doesn't keep the others away."""
    by_hand: list[File] = []
    failed = 0
    for file in source.files:
        try:
            said = _fetch_file(source, file, args)
        except SourceError as error:
            failed += 1
            print(f"searchjev: {source.name}: {error}", file=sys.stderr)
            continue
        if said is None:
            by_hand.append(file)
        else:
            print(f"{source.name}/{file.name}: {said}")
    if by_hand:
        print(steps(source, by_hand, args.sources))
    return Outcome(sum(not file.optional for file in by_hand), failed)


def _fetch_file(source: Source, file: File, args: argparse.Namespace) -> str | None:
    """What was done about a file; None where a person must get it."""
    folder = source.folder(args.sources)
    suffix = suffix_of(file.url) if file.url else ""
    path = locate(folder, file.name)
    if path is not None:
        return "present, sha256 as declared" if is_checked(path, file.sha256, suffix) else "present, not checked"
    if file.url is None:
        return None
    path = folder / (file.name if file.name.endswith(suffix) else f"{file.name}{suffix}")
    advice = f"get it by hand from {source.home} and put it there as {path}"
    download(Wanted(address(file.url, args.hub), path, file.sha256, advice), args.retries)
    return f"fetched, {path.stat().st_size:,} bytes, {'sha256 as declared' if file.sha256 else 'no sha256 declared'}"


def steps(source: Source, files: list[File], sources: Path) -> str:
    """What a person does to get files that can't be downloaded by themselves."""
    lines = [
        f"{source.name}: no address to download from ({source.licence}); by hand:",
        f"  1. Open {source.home}, read its terms, and download:",
        *(f"       {file.name}{' (optional)' if file.optional else ''}" for file in files),
        f"  2. Put them into {source.folder(sources)} under these names; compressed as .xz or .gz will do.",
    ]
    return "\n".join(lines + ([f"     Note: {source.note}."] if source.note else []))
