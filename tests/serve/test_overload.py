"""Under load: refusals at once, nothing computed for clients that left, and all well afterwards."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from urllib.parse import urlsplit

from searchjev.serve.settings import Settings
from tests.serve.client import NOUL, ask, call, post
from tests.serve.fake import FakeEngine
from tests.serve.live import live

SETTINGS = Settings(max_in_flight=16, batch_requests=4)


def metric(url: str, name: str) -> float:
    lines = call(url, "GET", "/metrics").body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"searchjev_{name} "))


def test_a_burst_is_refused_at_once_and_leaves_no_trace():
    engine = FakeEngine()
    engine.gate.clear()
    with live(engine, SETTINGS) as server, ThreadPoolExecutor(60) as threads:
        burst = [threads.submit(post, server.url, ask("s", q=NOUL)) for _ in range(60)]
        refused = [future.result() for future in islice(as_completed(burst, timeout=20), 60 - 16)]
        assert call(server.url, "GET", "/health").status == 200
        assert not any(reply.status == 200 for reply in refused), "a refusal does not wait for a batch"
        engine.gate.set()
        replies = [future.result() for future in burst]
        later = [post(server.url, ask("s", q=NOUL)) for _ in range(3)]
        assert metric(server.url, "queue_depth") == metric(server.url, "requests_in_flight") == 0
    assert [reply.status for reply in replies].count(200) == 16
    assert {reply.status for reply in refused} == {503}
    assert all(int(reply.headers["retry-after-ms"]) > 0 for reply in refused)
    assert {reply.json["detail"]["error_type"] for reply in refused} == {"overloaded_error"}
    assert [reply.status for reply in later] == [200] * 3
    assert sum(engine.batches) == 16 + 3


def test_requests_whose_client_left_are_not_computed():
    engine = FakeEngine()
    engine.gate.clear()
    with live(engine, SETTINGS) as server:
        left = [hang_up_later(server.url) for _ in range(9)]
        until(lambda: engine.batches != [] and metric(server.url, "requests_in_flight") == 9)
        begun = sum(engine.batches)
        for connection in left:
            connection.close()
        until(lambda: metric(server.url, "requests_in_flight") == 0)
        engine.gate.set()
        assert post(server.url, ask("s", q=NOUL)).status == 200
        assert sum(engine.batches) <= begun + 1
        until(lambda: metric(server.url, "requests_in_flight") == 0)


def hang_up_later(url: str) -> socket.socket:
    """Connection with a request on its way."""
    host, _, port = urlsplit(url).netloc.partition(":")
    connection = socket.create_connection((host, int(port)))
    body = json.dumps(ask("s", q=NOUL)).encode()
    connection.sendall(b"POST /v1/systemone HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    return connection


def until(condition) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
