"""Make a bundle of a finished training run: model.onnx, tokenizer, hashes, model card."""

import argparse
from pathlib import Path

from searchjev.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Run folder, output folder, and the bundle's name."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a finished training run")
    parser.add_argument("--out", type=Path, metavar="DIR", help="bundle folder (default: RUN/bundle)")
    parser.add_argument("--name", default="searchjev-mini", help="name that answers bear (default: %(default)s)")
    parser.add_argument("--version", default="0.1.0", help="version of the weights (default: %(default)s)")
    parser.add_argument("--date", default="2026-12-01", help="release date, YYYY-MM-DD (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write the bundle and say where it lies."""
    try:
        from searchjev.models.write_bundle import BundleIdentity, write_bundle
    except ModuleNotFoundError as error:
        raise ConfigError(f"export needs {error.name}; run: pip install 'searchjev[train]'") from None
    identity = BundleIdentity(name=args.name, version=args.version, release_date=args.date)
    out = write_bundle(args.run, args.out or args.run / "bundle", identity)
    print(f"bundle: {out}; next: searchjev calibrate {out} RELEASE")
    return 0
