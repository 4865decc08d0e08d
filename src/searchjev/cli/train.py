"""Train a model on a release, from its checkpoint where one exists."""

import argparse
from pathlib import Path

from searchjev.config import load_config
from searchjev.errors import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Config path and overrides."""
    parser.add_argument("config", type=Path, metavar="CONFIG", help="TOML file, for example configs/mini.toml")
    parser.add_argument("--release", metavar="DIR", help="release directory, instead of the config's")
    parser.add_argument("--out", metavar="DIR", help="run folder, instead of the config's")


def run(args: argparse.Namespace) -> int:
    """Train and say where the run lies."""
    import msgspec

    try:
        from searchjev.train.config import TrainConfig
        from searchjev.train.loop import train
    except ModuleNotFoundError as error:
        raise ConfigError(f"training needs {error.name}; run: pip install 'searchjev[train]'") from None
    config = load_config(args.config, TrainConfig)
    changes = {name: value for name in ("release", "out") if (value := getattr(args, name)) is not None}
    folder = train(msgspec.structs.replace(config, **changes))
    print(f"trained: {folder}; next: searchjev export {folder}")
    return 0
