"""Runs the app under uvicorn: own socket, one line when ready, an orderly end on SIGTERM and SIGINT."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from searchjev.errors import ConfigError
from searchjev.serve.app import create_app
from searchjev.serve.engine import Engine
from searchjev.serve.settings import Settings

BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """Socket bound to host and port (0: any free one); a ConfigError when that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with the protocol spelt out: asyncio turns Nagle's delay (40 ms an answer) off only for sockets that name TCP
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(f"{host}:{port}: can't listen ({error}); choose another --host or --port") from None
    return listener


def url_of(listener: socket.socket) -> str:
    """URL of a bound socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """uvicorn whose exit status after a signal is that of an orderly end."""

    def __init__(self, engine: Engine, settings: Settings, on_ready: Callable[[], None]) -> None:
        self._app = create_app(engine, settings)
        self._on_ready = on_ready
        super().__init__(
            uvicorn.Config(
                self._app,
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                lifespan="on",
                ws="none",
                backlog=BACKLOG,
                timeout_keep_alive=settings.keep_alive_s,
                timeout_graceful_shutdown=max(1, round(settings.grace_s)),
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, then say so."""
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the requests in flight within the grace; after a second signal, tell their clients to come again."""
        await super().shutdown(sockets)
        if self.force_exit:
            for task in list(self.server_state.tasks):
                task.cancel()
            await self.lifespan.shutdown()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the requests in flight; on a second signal, at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._app.state.service.is_stopping = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals while serving; unlike the base, don't raise them again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        old = {sig: signal.signal(sig, self.handle_exit) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in old.items():
                signal.signal(sig, handler)


def serve(engine: Engine, settings: Settings, listener: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until a signal; `on_ready` is called once connections are accepted."""
    Server(engine, settings, on_ready).run(sockets=[listener])
