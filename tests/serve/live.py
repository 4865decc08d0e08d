"""A real server on a free port, in a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from searchjev.serve.engine import Engine
from searchjev.serve.server import Server, listen, url_of
from searchjev.serve.settings import Settings


class Live(NamedTuple):
    url: str
    server: Server


@contextmanager
def live(engine: Engine, settings: Settings | None = None) -> Iterator[Live]:
    """Serve until the block ends."""
    listener, ready = listen("127.0.0.1", 0), threading.Event()
    server = Server(engine, settings or Settings(), ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    url = url_of(listener)
    thread.start()
    try:
        assert ready.wait(10), "the server did not start"
        yield Live(url, server)
    finally:
        server.handle_exit(15, None)
        thread.join(10)
        assert not thread.is_alive()
