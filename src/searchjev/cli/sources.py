"""List the sources with what they give and whether their files are there; `show NAME` prints one record and its row."""

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from searchjev.source import Broken, File, Raw, Row, Source

LOOK_AT = 2_000
"""Records looked at for one that gives a row."""

WIDTH = 320
"""Columns of the list in a file or a pipe, so that addresses stay whole."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show, and where the files lie."""
    parser.add_argument("what", nargs="?", choices=["show"], metavar="show", help="show one source's record and row")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the source to show")
    parser.add_argument(
        "--sources", type=Path, default=Path("sources"), metavar="DIR", help="folder with one folder a source"
    )


def run(args: argparse.Namespace) -> int:
    """Print the list, or one source with a record before and after."""
    from rich.console import Console

    from searchjev.errors import ConfigError
    from searchjev.sources import all_sources, get_source

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if args.what is None:
        _list(console, list(all_sources().values()), args.sources)
        return 0
    if args.name is None:
        raise ConfigError("sources show: no name given; run 'searchjev sources' for the list")
    _show(console, get_source(args.name), args.sources)
    return 0


def _list(console: "Console", sources: "list[Source]", folder: Path) -> None:
    from rich.table import Table

    from searchjev.schema import BUCKETS, CAPABILITIES

    names = ("source", "family", "buckets", "capabilities", "languages", "licence", "held out", "files")
    table = Table(*names, box=None)
    table.add_column("where to get it", overflow="fold")
    families = _families()
    present = 0
    for source in sources:
        buckets = sorted({CAPABILITIES[name] for name in source.capabilities}, key=BUCKETS.index)
        missing = _missing(source, folder)
        present += not missing
        table.add_row(
            source.name,
            families[source.name],
            " ".join(buckets),
            ", ".join(source.capabilities),
            " ".join(source.languages),
            source.licence_class,
            source.held_out or "",
            f"missing: {missing[0]}" if missing else "present",
            address_of(source),
        )
    console.print(table)
    console.print(f"{len(sources)} sources, {present} with their files in {folder}", markup=False)


def _families() -> dict[str, str]:
    """Family of each source: the name of the file that declares it, in words."""
    import importlib
    import pkgutil

    from searchjev import sources

    found: dict[str, str] = {}
    for info in pkgutil.iter_modules(sources.__path__):
        module = importlib.import_module(f"{sources.__name__}.{info.name}")
        found |= {source.name: info.name.replace("_", " ") for source in getattr(module, "SOURCES", ())}
    return found


def address_of(source: "Source") -> str:
    """Address of the first file where each needed one has an address for `searchjev fetch`, else the home."""
    addresses = [file.url for file in source.files if not file.optional]
    return addresses[0] if addresses and addresses[0] and all(addresses) else source.home


def _missing(source: "Source", folder: Path) -> list[str]:
    from searchjev.readers import locate

    return [f.name for f in source.files if not f.optional and locate(source.folder(folder), f.name) is None]


def _show(console: "Console", source: "Source", folder: Path) -> None:
    import msgspec

    from searchjev.errors import SourceError

    missing = _missing(source, folder)
    console.print(f"{'family':<13} {_families()[source.name]}", markup=False)
    for name in ("name", "home", "licence", "licence_class", "held_out", "note"):
        console.print(f"{name:<13} {getattr(source, name) or '-'}", markup=False)
    for file in source.files:
        console.print(f"{'file':<13} {file.name}: {file.url or 'by hand, from home'}", markup=False)
    if missing:
        raise SourceError(f"{source.folder(folder)}: {missing[0]} is missing; give the right folder with --sources")
    for raw, row in _pairs(source, folder):
        console.print(f"\nrecord {raw.file}:{raw.line}", markup=False)
        console.print_json(msgspec.json.encode(raw.value).decode())
        console.print("\nrow (its wording is drawn by the build)")
        console.print_json(msgspec.json.encode(row).decode())
        return
    console.print(f"no row in the first {LOOK_AT:,} records", markup=False)


def _pairs(source: "Source", folder: Path) -> "Iterator[tuple[Raw, Row]]":
    from searchjev.readers import locate, read_file
    from searchjev.source import Files, Raw, Row

    def records(file: "File") -> "Iterator[Raw | Broken]":
        path = locate(source.folder(folder), file.name)
        return iter(()) if path is None else read_file(path, file)

    assert source.rows or source.prepare
    rows = source.rows or source.prepare(Files(records, source.files))  # type: ignore[misc]
    for file in source.files:
        if not file.joined:
            for record in itertools.islice(records(file), LOOK_AT):
                if isinstance(record, Raw):
                    yield from ((record, found) for found in rows(record) if isinstance(found, Row))
