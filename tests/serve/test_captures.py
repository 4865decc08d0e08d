"""Requests that other clients were seen to send, replayed; the captures lie beside the checkout."""

import json
import re

import pytest

from searchjev.serve.settings import ALIASES, Settings
from tests.conftest import SHARED
from tests.serve.client import Reply, call
from tests.serve.fake import FakeEngine
from tests.serve.live import live

CAPTURES = SHARED / "contract" / "captures"
STUB = "searchjev-stub-0"
FORCED = re.compile("^(force|delay|slow|sleep)")
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CAPTURES.is_dir(), reason="needs ../shared/contract/captures beside the checkout"),
]


@pytest.fixture(scope="module")
def open_url():
    with live(FakeEngine(), Settings(aliases=(*ALIASES, STUB, "jev-preview", "jev-1.13.0"))) as server:
        yield server.url


def load(name):
    return json.loads((CAPTURES / f"{name}.json").read_text())


def names():
    return [path.stem for path in sorted(CAPTURES.glob("*.json"))] if CAPTURES.is_dir() else []


def decoded(response):
    """Answer of the capture; long ones were cut."""
    if not isinstance(response, str):
        return response
    try:
        return json.loads(response)
    except json.JSONDecodeError:
        return None


def shape(reply: Reply) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What must be equal whatever the model: ids, types, fields, labels."""
    return {
        name: (
            answer["type"],
            tuple(sorted(answer)),
            tuple(answer.get("probabilities", ())),
            json.dumps(answer.get("legend")),
        )
        for name, answer in reply["answers"].items()
    }


@pytest.mark.parametrize("name", [n for n in names() if n not in ("raw_edge_cases", "response_tolerance")])
def test_a_client_gets_an_answer_of_the_same_shape(open_url, name):
    exchanges = load(name).get("exchanges", [])
    for exchange in exchanges:
        body = exchange.get("body", exchange.get("request"))
        if isinstance(body, dict) and FORCED.match(str(body.get("model"))):
            continue
        if isinstance(body, str):
            continue  # multipart with an image, cut in the capture
        data = None if body is None else json.dumps(body).encode()
        reply = call(open_url, exchange["method"], exchange["path"], data, {"Content-Type": "application/json"})
        expected = decoded(exchange["response"])
        if exchange["status"] in (401, 403):
            continue  # sent without a key, which the capture does not hold
        assert (reply.status < 500) and (reply.status == 200) == (exchange["status"] == 200), (body, reply.body)
        if reply.status == 200 and isinstance(expected, dict) and "answers" in expected:
            assert shape(reply.json) == shape(expected)


def edge_cases():
    cases = load("raw_edge_cases")["cases"] if CAPTURES.is_dir() else []
    return [c for c in cases if not re.search(r"\(\d+ bytes\)$", c["body_latin1_excerpt"] or "")]


@pytest.mark.parametrize("case", edge_cases(), ids=lambda case: case["case"])
def test_an_edge_case_gets_the_same_kind_of_answer(open_url, case):
    if case["stub_status"] in (401, 403) or "Content-Encoding" in case["headers"]:
        pytest.skip("keys and compressed bodies are not in the capture as sent; tests of our own hold them")
    body = case["body_latin1_excerpt"]
    headers = {k: v for k, v in case["headers"].items() if k != "Authorization"}
    reply = call(open_url, case["method"], case["path"], None if body is None else body.encode("latin-1"), headers)
    assert reply.status < 500
    if case["case"] == "model empty":
        assert reply.status == 404
    else:
        assert reply.status == case["stub_status"], reply.body
    theirs = case["stub_response"]["detail"] if reply.status == 422 else []
    for fault in theirs:
        if fault["type"] not in ("json_invalid", "string_unicode"):
            assert any(place[: len(fault["loc"])] == fault["loc"] for place in reply.places), reply.places
