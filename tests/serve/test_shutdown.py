"""SIGTERM: work in flight is finished, nothing new is begun, the process ends with status 0."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serve.client import NOUL, Reply, ask, post
from tests.serve.test_overload import hang_up_later

ROOT = Path(__file__).resolve().parents[2]


class Asking:
    """A request in a thread of its own."""

    def __init__(self, url: str) -> None:
        self._replies: list[Reply] = []
        self._thread = threading.Thread(target=lambda: self._replies.append(post(url, ask("s", q=NOUL))))
        self._thread.start()

    def reply(self) -> Reply:
        self._thread.join(30)
        return self._replies[0]


@contextmanager
def process(seconds: float, grace: float) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "tests.serve.serve_fake", str(seconds), str(grace)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            yield running, running.stdout.readline().strip()
        finally:
            running.kill()


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_work_in_flight_is_finished(sig):
    with process(2.0, 20) as (running, url):
        idle = hang_up_later(url)
        while not idle.recv(10_000).endswith(b"}"):
            pass
        asking = Asking(url)
        time.sleep(0.5)
        running.send_signal(sig)
        time.sleep(0.5)
        with pytest.raises(OSError):
            post(url, ask("late", q=NOUL))
        assert idle.recv(10) == b"", "the idle connection is closed"
        idle.close()
        reply = asking.reply()
        assert running.wait(20) == 0
        assert running.stdout.read() == "ended\n"
    assert reply.status == 200
    assert reply.json["answers"]["q"]["type"] == "noul"
    assert reply.headers["connection"] == "close"


def test_the_end_comes_after_the_grace_even_with_work_left():
    with process(6.0, 1) as (running, url):
        unread = hang_up_later(url)
        begin = time.monotonic()
        asking = Asking(url)
        time.sleep(0.5)
        running.send_signal(signal.SIGTERM)
        assert asking.reply().status == 503
        assert running.wait(20) == 0
        assert time.monotonic() - begin < 12
        assert running.stderr.read().count("Traceback") == 0
        unread.close()


def test_a_second_signal_does_not_wait_for_the_grace():
    with process(2.0, 60) as (running, url):
        connections = [hang_up_later(url) for _ in range(40)]
        time.sleep(0.2)
        begin = time.monotonic()
        running.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
        assert time.monotonic() - begin < 15
        assert running.stderr.read() == ""
        for connection in connections:
            connection.close()
