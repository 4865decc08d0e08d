"""Turn the sources' own files into one release directory."""

import argparse
from pathlib import Path

from searchjev.config import load_config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Config path and overrides."""
    parser.add_argument("config", type=Path, metavar="CONFIG", help="TOML file, for example configs/release.toml")
    parser.add_argument("--sources", metavar="DIR", help="folder that holds one folder a source")
    parser.add_argument("--out", metavar="DIR", help="release directory")
    parser.add_argument("--previous", metavar="DIR", help="release to compare with, row by row, in changes.jsonl")
    parser.add_argument("--tokenizer", metavar="FILE", help="tokenizer.json of the reference model")
    parser.add_argument("--only", metavar="NAME,NAME", help="build these sources alone")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="tasks at once (default: %(default)s)")
    parser.add_argument("--engine", default="local", metavar="NAME", help="local, or ray: the cluster of RAY_ADDRESS")


def run(args: argparse.Namespace) -> int:
    """Build and say where the release lies."""
    import msgspec

    from searchjev.release.build import build
    from searchjev.release.config import ReleaseConfig
    from searchjev.release.engine import open_engine

    config = load_config(args.config, ReleaseConfig)
    paths = ("sources", "out", "previous", "tokenizer")
    changes = {name: value for name in paths if (value := getattr(args, name)) is not None}
    only = args.only.split(",") if args.only else None
    folder = build(msgspec.structs.replace(config, **changes), only, engine=open_engine(args.engine, args.workers))
    print(f"built: {folder}; next: searchjev verify {folder}")
    return 0
