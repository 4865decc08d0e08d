"""A server on this machine that answers ranges properly, and misbehaves as a test tells it to, request by request."""

import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    """One request: its path, and the headers that matter for going on."""

    path: str
    range: str | None
    if_range: str | None


class BrokenServer:
    """`files` by path with one ETag for all; each request takes the next of `faults` before the proper answer."""

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.etag: str | None = '"one"'
        self.knows_ranges = True
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []


@contextmanager
def serving(server: BrokenServer):
    handler = type("Handler", (Handler,), {"state": server})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    state: BrokenServer

    def do_GET(self):
        state = self.state
        state.asked.append(Asked(self.path, self.headers.get("Range"), self.headers.get("If-Range")))
        data = state.files.get(self.path)
        if state.faults:
            state.faults.pop(0)(self, data or b"")
        elif data is None:
            self.reply(404)
        else:
            self.properly(data)

    def properly(self, data: bytes):
        begin = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        marks = self.headers.get("If-Range") in (None, self.state.etag)
        if not (begin and marks and self.state.knows_ranges):
            self.reply(200, data)
        elif begin >= len(data):
            self.reply(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        else:
            self.reply(206, data[begin:], {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"})

    def reply(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None, length: int | None = None):
        self.send_response(status)
        marks = {"ETag": self.state.etag} if self.state.etag else {}
        length = len(body) if length is None else length
        for name, value in {"Content-Length": str(length), **marks, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


Fault = Callable[[Handler, bytes], None]


def cut(sent: int) -> Fault:
    """The whole length stated, and only some bytes sent."""
    return lambda handler, data: handler.reply(200, data[:sent], length=len(data))


def states(length: int) -> Fault:
    """The whole sent under another length."""
    return lambda handler, data: handler.reply(200, data, length=length)


def status(code: int, **headers: str) -> Fault:
    """A bare status; headers as keywords, _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, data: handler.reply(code, b"", named)


def sends(body: bytes, **headers: str) -> Fault:
    """Status 200 with other bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, data: handler.reply(200, body, named)


def hangs_until(event: threading.Event, sent: int) -> Fault:
    """Some bytes, then silence until the test ends it."""

    def fault(handler: Handler, data: bytes):
        handler.reply(200, data[:sent], length=len(data))
        event.wait(10)

    return fault


def chunked(body: bytes, *, is_whole: bool) -> Fault:
    """A body without a stated length; one that isn't whole lacks the last chunk."""

    def fault(handler: Handler, data: bytes):
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(body), body) + (b"0\r\n\r\n" if is_whole else b""))
        handler.close_connection = True

    return fault


def closes(handler: Handler, data: bytes) -> None:
    """No answer at all."""
