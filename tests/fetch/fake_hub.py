"""A hub on this machine: answers, redirects, ranges, broken connections; and folders as a fetch leaves them."""

import threading
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec

from searchjev.fetch.install import RECORD, Record

COMMIT = "c0ffee" * 6 + "c0ff"


class FakeHub:
    """`files` by path; large files redirect to a store; `cut` bytes are sent of the next download only."""

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.cut: int | None = None
        self.digest: str | None = None
        self.gets: list[tuple[str, str | None]] = []


@contextmanager
def serving(hub: FakeHub):
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def do_HEAD(self):
        self._answer(send_body=False)

    def do_GET(self):
        self.hub.gets.append((self.path, self.headers.get("Range")))
        self._answer(send_body=True)

    def _answer(self, *, send_body: bool):
        data = self.hub.files.get(self.path.removeprefix("/store"))
        if data is None:
            self.send_error(404)
        elif self.path.endswith(".safetensors") and not self.path.startswith("/store"):
            self._redirect(data)
        else:
            self._file(data, send_body)

    def _redirect(self, data: bytes):
        self.send_response(302)
        self.send_header("Location", f"/store{self.path}")
        self.send_header("X-Linked-ETag", f'"{self.hub.digest or sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _file(self, data: bytes, send_body: bool):
        begin = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        if begin and begin >= len(data):
            self.send_error(416)
            return
        rest = data[begin:]
        self.send_response(206 if begin else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if send_body:
            cut, self.hub.cut = self.hub.cut, None
            self.wfile.write(rest if cut is None else rest[:cut])

    def log_message(self, format, *args):
        pass


def write_whole(folder: Path, name: str, origin: str) -> Record:
    """A folder that a fetch has finished."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes(b"{}")
    record = Record(
        name=name, origin=origin, sources=["here"], precision="no weights", licence="MIT",
        files={"tokenizer.json": sha256(b"{}").hexdigest()},
    )  # fmt: skip
    (folder / RECORD).write_bytes(msgspec.json.encode(record))
    return record
