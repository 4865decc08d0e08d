"""A process that serves the fake engine: python -m tests.serve.serve_fake SECONDS GRACE."""

import sys

from searchjev.serve.server import listen, serve, url_of
from searchjev.serve.settings import Settings
from tests.serve.fake import FakeEngine

if __name__ == "__main__":
    listener = listen("127.0.0.1", 0)
    serve(
        FakeEngine(seconds=float(sys.argv[1])),
        Settings(grace_s=float(sys.argv[2])),
        listener,
        lambda: print(url_of(listener), flush=True),
    )
    print("ended", flush=True)
