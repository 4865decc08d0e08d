"""Answers and errors over HTTP: what the contract asks of the numbers, the names, the statuses and the headers."""

import json
import math

import pytest

from searchjev.serve.settings import Settings
from tests.serve.client import NOUL, ask, call, post
from tests.serve.fake import FakeEngine
from tests.serve.live import live

CHOICE = {"type": "choice", "instructions": "Which?", "criteria": {"b": "second", "a": None, " a": ["x"], "10": "ten"}}
SCORE = {"type": "score", "instructions": "How?", "criteria": ["low", {"v": 1.5, "n": 2**80}, ["high"]]}


def test_an_answer_has_what_the_contract_lists(url):
    reply = post(url, ask({"query": "q"}, yes=NOUL, which=CHOICE, how=SCORE))
    assert reply.status == 200
    assert set(reply.json) == {"model", "answers", "usage", "x_calibration"}
    assert reply.json["model"] == "searchjev-fake"
    assert reply.json["x_calibration"] == "fake-calibration"
    answers = reply.json["answers"]
    assert list(answers) == ["yes", "which", "how"]
    assert set(answers["yes"]) == {"type", "noul"}
    assert set(answers["which"]) == {"type", "choice", "confidence", "probabilities"}
    assert list(answers["which"]["probabilities"]) == ["b", "a", " a", "10"]
    assert set(answers["how"]) == {"type", "score", "confidence", "probabilities", "legend"}
    assert answers["how"]["legend"] == {"0": "low", "1": {"v": 1.5, "n": 2**80}, "2": ["high"]}
    assert all(type(count) is int and count > 0 for count in reply.json["usage"].values())


def test_everything_follows_from_the_printed_probabilities(url):
    answers = post(url, ask("s", which=CHOICE, how=SCORE)).json["answers"]
    which, how = answers["which"], answers["how"]
    assert sum(which["probabilities"].values()) == pytest.approx(1, abs=1e-9)
    assert which["choice"] == max(which["probabilities"], key=which["probabilities"].get)
    assert which["confidence"] == pytest.approx((max(which["probabilities"].values()) - 1 / 4) / (3 / 4), abs=1e-12)
    levels = [how["probabilities"][str(i)] for i in range(3)]
    assert how["score"] == pytest.approx(levels[1] + 2 * levels[2], abs=1e-12)


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [([0.7, 0.2, 0.1], 0.55), ([0.5, 0.5], 0.0), ([1.0, 0.0, 0.0, 0.0], 1.0), ([1 / 3] * 3, 0.0), ([0.9, 0.1], 0.8)],
)
def test_confidence_has_the_closed_form(probabilities, confidence):
    engine = FakeEngine()
    names = [f"o{i}" for i in range(len(probabilities))]
    engine.replace = {n: math.log(max(p, 1e-300)) for n, p in zip(names, probabilities, strict=True)}
    with live(engine) as server:
        question = {"type": "choice", "criteria": dict.fromkeys(names)}
        answer = post(server.url, ask("s", q=question)).json["answers"]["q"]
    assert answer["confidence"] == pytest.approx(confidence, abs=1e-9)
    assert answer["confidence"] >= 0


def test_tiny_weights_are_normalised_in_log_space():
    engine = FakeEngine()
    engine.replace = {"a": -1000.0, "b": -1000.0, "c": -1000.0 - math.log(10)}
    with live(engine) as server:
        question = {"type": "choice", "criteria": {"a": None, "b": None, "c": None}}
        answer = post(server.url, ask("s", q=question)).json["answers"]["q"]
    assert list(answer["probabilities"].values()) == pytest.approx([0.476, 0.476, 0.048], abs=1e-3)


def test_one_option_and_one_level(url):
    one = post(
        url, ask("s", c={"type": "choice", "criteria": {"only": None}}, s={"type": "score", "criteria": ["only"]})
    ).json["answers"]
    assert one["c"] == {"type": "choice", "choice": "only", "confidence": 1.0, "probabilities": {"only": 1.0}}
    assert one["s"] == {
        "type": "score", "score": 0.0, "confidence": 1.0, "probabilities": {"0": 1.0}, "legend": {"0": "only"},
    }  # fmt: skip


def test_order_of_options_ids_and_company_change_nothing(url):
    names = ["billing", "technical", "sales", "10", "9"]
    alone = post(url, ask("s", q={"type": "choice", "criteria": dict.fromkeys(names)})).json["answers"]["q"]
    reversed_ = {"type": "choice", "criteria": dict.fromkeys(reversed(names))}
    among = post(url, ask("s", other=NOUL, renamed=reversed_, more=SCORE)).json["answers"]["renamed"]
    assert list(among["probabilities"]) == list(reversed(names))
    assert among["probabilities"] == pytest.approx(alone["probabilities"], abs=1e-12)
    assert among["choice"] == alone["choice"]


def test_the_same_request_gets_the_same_bytes(url):
    replies = [post(url, ask("s", a=NOUL, b=CHOICE)).body for _ in range(3)]
    assert len(set(replies)) == 1


@pytest.mark.parametrize("name", ["jev-latest", "searchjev-mini", "searchjev-fake"])
def test_names_that_are_served(url, name):
    assert post(url, {**ask("s", q=NOUL), "model": name}).json["model"] == "searchjev-fake"


@pytest.mark.parametrize("name", ["", "jev-1.13.0", "JEV-LATEST", "x" * 10_000])
def test_other_names_are_told_what_there_is(url, name):
    reply = post(url, {**ask("s", q=NOUL), "model": name})
    assert reply.status == 404
    assert reply.json["detail"]["error_type"] == "not_found_error"
    assert "searchjev-fake, jev-latest, searchjev-mini" in reply.json["detail"]["message"]
    assert len(reply.body) < 400


def test_the_list_of_models(url):
    models = call(url, "GET", "/v1/models").json["models"]
    assert [entry["name"] for entry in models] == ["searchjev-fake", "jev-latest", "searchjev-mini"]
    assert all(set(entry) == {"name", "description", "release_date"} for entry in models)


def test_health_and_metrics(url):
    assert call(url, "GET", "/health").json["status"] == "ok"
    post(url, ask("s", q=NOUL))
    text = call(url, "GET", "/metrics").body.decode()
    assert "searchjev_queue_depth 0\n" in text
    assert 'searchjev_responses_total{status="200"}' in text


def test_a_stopping_server_says_so():
    with live(FakeEngine()) as server:
        server.server.config.app.state.service.is_stopping = True
        replies = [post(server.url, ask("s", q=NOUL)), call(server.url, "GET", "/health")]
    assert [reply.status for reply in replies] == [503, 503]
    assert [reply.headers["connection"] for reply in replies] == ["close", "close"]
    assert int(replies[0].headers["retry-after-ms"]) > 0


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/systemone", 405),
        ("POST", "/v1/models", 405),
        ("POST", "/v1/nope", 404),
        ("POST", "/v1/systemone/", 404),
        ("GET", "/", 404),
        ("OPTIONS", "/v1/systemone", 405),
    ],
)
def test_other_routes_and_methods(url, method, path, status):
    reply = call(url, method, path)
    assert reply.status == status
    assert set(reply.json["detail"]) == {"error_type", "message"}


def test_every_response_is_json_with_an_id_and_without_open_cors(url):
    replies = [
        post(url, ask("s", q=NOUL), {"Origin": "https://page.example"}),
        post(url, b"{"),
        call(url, "GET", "/nope"),
        call(url, "GET", "/v1/models"),
        call(url, "GET", "/health"),
    ]
    assert all(reply.headers["content-type"] == "application/json" for reply in replies)
    assert len({reply.headers["x-typesafe-request-id"] for reply in replies}) == len(replies)
    assert not any(name.startswith("access-control") for reply in replies for name in reply.headers)


@pytest.mark.parametrize("content_type", ["text/plain", "application/json; charset=utf-8", "x", ""])
def test_the_media_type_does_not_matter(url, content_type):
    assert post(url, ask("s", q=NOUL), {"Content-Type": content_type}).status == 200


def test_images_are_refused_in_both_forms(url):
    assets = {"i": {"type": "image", "format": "png", "data_base64": "iVBORw0KGgo="}}
    in_json = post(url, {**ask("s", q=NOUL), "assets": assets})
    in_parts = post(url, b"--x--", {"Content-Type": "multipart/form-data; boundary=x"})
    for reply in (in_json, in_parts):
        assert reply.status == 400
        assert reply.json["detail"]["error_type"] == "api_usage_error"


def test_a_malformed_request_gets_a_list_of_places(url):
    reply = post(url, ask(None, q={"type": "score", "criteria": {}}))
    assert reply.status == 422
    assert reply.places == [["body", "state"], ["body", "questions", "q", "score", "criteria"]]
    assert all(item["msg"] and item["type"] for item in reply.json["detail"])


def test_a_fault_under_a_name_that_cannot_be_encoded(url):
    reply = post(url, b'{"model":"m","state":{"\\ud83d":{"a":1,"a":2}},"questions":{}}')
    assert reply.status == 422
    assert ["body", "state", "?"] in reply.places


def test_too_long_is_refused_with_counts():
    with live(FakeEngine(limit=50), Settings(max_request_tokens=100)) as server:
        state = post(server.url, ask("word " * 60, q=NOUL))
        together = post(server.url, ask("word " * 30, **{f"q{i}": NOUL for i in range(5)}))
    for reply, limit in ((state, 50), (together, 100)):
        assert reply.status == 413
        detail = reply.json["detail"]
        assert detail["error_type"] == "max_tokens_exceeded"
        assert detail["tokens"] > detail["limit"] == limit
        assert detail["message"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_model_that_gives_no_number_gives_no_answer(value):
    engine = FakeEngine()
    engine.replace = {"bad": value}
    with live(engine) as server:
        reply = post(server.url, ask("s", a=NOUL, b={"type": "choice", "criteria": {"good": None, "bad": None}}))
        assert "searchjev_model_failures_total 1" in call(server.url, "GET", "/metrics").body.decode()
    assert reply.status == 500
    assert reply.json["detail"]["error_type"] == "api_error"
    assert "questions.b" in reply.json["detail"]["message"]


def test_an_answer_that_the_model_left_out_is_an_error_and_no_gap():
    engine = FakeEngine()
    engine.decide = lambda questions, logits: {}
    with live(engine) as server:
        reply = post(server.url, ask("s", destructive=NOUL))
    assert reply.status == 500
    assert "answers" not in reply.json


def test_a_bug_is_a_500_with_the_id_of_the_log(caplog):
    engine = FakeEngine()
    with live(engine) as server:
        reply = post(server.url, ask("poison", q=NOUL))
        assert post(server.url, ask("fine", q=NOUL)).status == 200
    assert reply.status == 500
    assert reply.headers["x-typesafe-request-id"] in reply.json["detail"]["message"]
    assert reply.headers["x-typesafe-request-id"] in caplog.text
    assert "poison" not in reply.body.decode()


def test_a_key_is_demanded_where_one_is_set():
    with live(FakeEngine(), Settings(api_key="sesame")) as server:
        for header in ({}, {"Authorization": "Bearer"}, {"Authorization": "Basic sesame"}, {"x-api-key": "sesame"}):
            refused = post(server.url, b"{", header)
            assert (refused.status, refused.json["detail"]["error_type"]) == (401, "authentication_error")
        assert post(server.url, ask("s", q=NOUL), {"Authorization": "Bearer open"}).status == 401
        assert post(server.url, ask("s", q=NOUL), {"Authorization": "Bearer ä"}).status == 401
        assert post(server.url, ask("s", q=NOUL), {"Authorization": "bearer  sesame"}).status == 200
        assert call(server.url, "GET", "/v1/models").status == 401
        assert call(server.url, "GET", "/health").status == 200


def test_without_a_key_any_is_ignored(url):
    assert post(url, ask("s", q=NOUL), {"Authorization": "Bearer whatever"}).status == 200


def test_texts_come_back_byte_for_byte(url):
    names = ["\u00e9", "e\u0301", "𝒳", "a b", "\0", "\u2028", 'quote"', "😀"]
    reply = post(url, json.dumps(ask("s", **{"이름": {"type": "choice", "criteria": dict.fromkeys(names)}})).encode())
    assert list(reply.json["answers"]["이름"]["probabilities"]) == names
