"""Serve the System One wire contract over HTTP, from one process, until SIGTERM or Ctrl-C.

The environment variable SEARCHJEV_API_KEY, when set, is the key that requests must carry as a bearer token.
"""

import argparse
import ipaddress
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from searchjev.config import load_config
from searchjev.errors import ConfigError

if TYPE_CHECKING:
    from searchjev.serve.settings import Settings

KEY_VARIABLE = "SEARCHJEV_API_KEY"
log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Bundle, address, and names."""
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="bundle to serve (default: the bundled model)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="port, 0 for any free one (default: %(default)s)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of one run (default: the cores, up to 8)")
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="TOML file of limits: queue, batch, body, times (see docs/serve.md)",
    )
    parser.add_argument(
        "--alias", action="append", default=[], metavar="NAME", help="a further model name to accept; may be repeated"
    )


def run(args: argparse.Namespace) -> int:
    """Listen, load, print the URL, serve."""
    from searchjev.serve.engines.onnx import OnnxEngine
    from searchjev.serve.server import listen, serve, url_of

    settings = _settings(args.settings, args.alias)
    with listen(args.host, args.port) as listener:
        engine = OnnxEngine.load(args.bundle, args.threads)
        model = engine.identity
        if settings.api_key is None and not _is_loopback(listener.getsockname()[0]):
            log.warning("anyone who reaches %s may use this server; set %s to demand a key", args.host, KEY_VARIABLE)

        def say_ready() -> None:
            print(f"searchjev: {url_of(listener)} serves {model.name} {model.version}", flush=True)

        serve(engine, settings, listener, say_ready)
    return 0


def _settings(path: Path | None, aliases: list[str]) -> "Settings":
    """Settings of a file with the key of the environment and further names."""
    from searchjev.serve.settings import Settings

    settings = Settings() if path is None else load_config(path, Settings)
    if settings.api_key is not None:
        raise ConfigError(f"{path}: api_key: keys don't belong into files; set {KEY_VARIABLE} in the environment")
    return msgspec.structs.replace(settings, api_key=api_key(), aliases=(*settings.aliases, *aliases))


def api_key() -> str | None:
    """Key of the environment; a ConfigError for one that no header can carry."""
    key = os.environ.get(KEY_VARIABLE)
    if key is not None and (not key or not key.isascii() or not key.isprintable() or " " in key):
        raise ConfigError(f"{KEY_VARIABLE}: empty or with spaces, expected printable ASCII; set a key or unset it")
    return key


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback
