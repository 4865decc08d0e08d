"""`searchjev serve` with a bundle: the engine's answers are the library's, alone and in company."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

pytest.importorskip("onnx", reason="makes a small model, which needs the train extra: pip install 'searchjev[train]'")

from searchjev import Choice, Noul, SearchJev
from searchjev.cli.main import main
from searchjev.serve.engines.onnx import OnnxEngine
from searchjev.serve.server import listen
from searchjev.serve.service import printed
from tests.serve.client import NOUL, ask, post
from tests.serve.live import live
from tests.serve.tiny_bundle import write_bundle

QUESTION = {"type": "choice", "instructions": "what next", "criteria": {"search": "search again", "stop": None}}
STATES = [f"{'word ' * (7 * n % 40)}{n}" for n in range(24)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("bundle"))


def test_the_server_answers_as_the_library_does_in_any_company(folder):
    model = SearchJev.load(folder)
    questions = {"q": Choice(QUESTION["criteria"], "what next"), "n": Noul("Is it new?")}
    with live(OnnxEngine(model)) as server, ThreadPoolExecutor(12) as threads:
        replies = list(threads.map(lambda state: post(server.url, ask(state, q=QUESTION, n=NOUL)), STATES))
        batches = server.server.config.app.state.service.batcher.batches
    assert batches < len(STATES), "some were computed together"
    for state, reply in zip(STATES, replies, strict=True):
        expected = printed(questions, model.decide(state, questions))
        assert reply.json["answers"]["q"]["probabilities"] == pytest.approx(expected["q"]["probabilities"], abs=1e-5)
        assert reply.json["answers"]["n"]["noul"] == pytest.approx(expected["n"]["noul"], abs=1e-5)
        assert reply.json["usage"]["input_tokens"] == model.count_tokens(state, questions)


def test_too_long_and_empty_requests(folder):
    with live(OnnxEngine.load(folder)) as server:
        long = post(server.url, ask("word " * 500, q=NOUL))
        empty = post(server.url, ask({}, q={"type": "noul", "criteria": {"true": ""}}))
    assert long.status == 413
    assert long.json["detail"]["limit"] == 300 < long.json["detail"]["tokens"]
    assert long.json["detail"]["message"].startswith("questions.q: state ")
    assert empty.status == 200


@contextmanager
def command(*arguments, **environment):
    words = [sys.executable, "-m", "searchjev.cli.main", "serve", "--port", "0", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env={**os.environ, **environment}, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_command_serves_and_ends(folder):
    begin = time.monotonic()
    with command("--bundle", folder, "--alias", "jev-1.13.0", "--threads", 1) as process:
        line = process.stdout.readline()
        took = time.monotonic() - begin
        assert line.startswith("searchjev: http://127.0.0.1:")
        assert line.endswith(" serves toy 0.0.1\n")
        url = line.split()[1]
        reply = post(url, {**ask("s", q=NOUL), "model": "jev-1.13.0"})
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")
    assert (reply.status, reply.json["model"], reply.json["x_calibration"]) == (200, "toy", "none")
    assert took < 30


def test_the_command_takes_the_key_of_the_environment(folder):
    with command("--bundle", folder, SEARCHJEV_API_KEY="sesame") as process:
        url = process.stdout.readline().split()[1]
        assert post(url, ask("s", q=NOUL)).status == 401
        assert post(url, ask("s", q=NOUL), {"Authorization": "Bearer sesame"}).status == 200


def test_an_open_address_without_a_key_is_warned_about(folder):
    with command("--bundle", folder, "--host", "0.0.0.0") as process:
        assert process.stdout.readline()
        process.terminate()
        assert "set SEARCHJEV_API_KEY" in process.stderr.read()


@pytest.mark.parametrize("key", ["", "two words", "ключ"])
def test_a_key_that_no_header_carries_is_refused(folder, key, monkeypatch, capsys):
    monkeypatch.setenv("SEARCHJEV_API_KEY", key)
    assert main(["serve", "--bundle", str(folder)]) == 2
    assert capsys.readouterr().err.startswith("searchjev: SEARCHJEV_API_KEY: ")


def test_settings_come_from_a_file_and_keys_do_not(folder, tmp_path, capsys):
    good, unknown, secret = (tmp_path / name for name in ("good.toml", "unknown.toml", "secret.toml"))
    good.write_text('max_request_tokens = 20\naliases = ["jev-latest"]\n')
    unknown.write_text("max_qeue = 3\n")
    secret.write_text('api_key = "sesame"\n')
    with command("--bundle", folder, "--settings", good) as process:
        url = process.stdout.readline().split()[1]
        assert post(url, ask("word " * 30, q=NOUL)).status == 413
        assert post(url, {**ask("s", q=NOUL), "model": "searchjev-mini"}).status == 404
    assert main(["serve", "--bundle", str(folder), "--settings", str(unknown)]) == 2
    assert main(["serve", "--bundle", str(folder), "--settings", str(secret)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert "max_qeue" in lines[0]
    assert "sesame" not in lines[1]


def test_a_taken_port_and_a_missing_bundle_are_one_line(folder, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--bundle", str(folder), "--port", str(taken.getsockname()[1])]) == 2
    assert main(["serve", "--bundle", str(tmp_path), "--port", "0"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "can't listen" in lines[0]
    assert "is no bundle" in lines[1]


def test_answers_are_not_held_back_by_the_kernel():
    """asyncio sets TCP_NODELAY on connections of a listener that names its protocol; else each answer waits 40 ms."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_the_answer_is_printed_unrounded(folder):
    model = SearchJev.load(folder)
    question = Choice(QUESTION["criteria"], "what next")
    with live(OnnxEngine(model)) as server:
        answer = json.loads(post(server.url, ask("s", q=QUESTION)).body)["answers"]["q"]
    assert answer["probabilities"] == model.decide("s", {"q": question})["q"].probabilities
