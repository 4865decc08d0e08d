"""The official Python SDK against a live server."""

import pytest

from searchjev.serve.settings import Settings
from tests.serve.fake import FakeEngine
from tests.serve.live import live

sdk = pytest.importorskip("typesafe_sdk", reason="needs typesafe-sdk: pip install 'searchjev[contract]'")

STATE = {"query": "return policy", "documents": {"D00": "Returns within 30 days.", "D01": "One year warranty."}}


def client(url, **more):
    return sdk.TypeSafeClient(base_url=url, api_key="any", **more)


def test_every_type_of_answer(engine):
    with live(engine) as server, client(server.url) as typesafe:
        response = typesafe.system_one(
            STATE,
            {
                "D00": sdk.Noul(instructions="`documents.D00` answers `query`", criteria={"true": "it gives the fact"}),
                "best": sdk.Choice(instructions="Which answers?", criteria={"D00": None, "D01": "the warranty"}),
                "rel": sdk.Score(instructions=["Grade `documents.D01`"], criteria=["unrelated", {"label": "answers"}]),
            },
            extra_body={"x_trace": "1"},
        )
        assert {model.name for model in typesafe.models.list().models} >= {"jev-latest", engine.identity.name}
    assert response.request_id.startswith("req_")
    assert response.model == engine.identity.name
    assert 0 <= response.answers["D00"].noul <= 1
    best, rel = response.answers["best"], response.answers["rel"]
    assert best.probabilities[best.choice] == max(best.probabilities.values())
    assert rel.score == pytest.approx(rel.probabilities["1"] if "1" in rel.probabilities else rel.probabilities[1])
    assert response.usage.output_tokens == 3


@pytest.mark.parametrize("compression", ["zstd", False])
def test_long_requests_arrive_compressed(url, compression):
    with client(url, compression=compression) as typesafe:
        response = typesafe.system_one("some words " * 1_000, {"q": sdk.Noul(instructions="Is it long?")})
    assert response.usage.input_tokens > 2_000


def test_errors_have_a_class_a_message_and_an_id(url):
    with client(url) as typesafe:
        with pytest.raises(sdk.TypeSafeNotFoundError, match="searchjev-fake, jev-latest") as unknown:
            typesafe.system_one("s", {"q": sdk.Noul(instructions="x")}, model="jev-1.13.0")
        with pytest.raises(sdk.TypeSafeUnprocessableEntityError, match="256 options"):
            options = {f"o{i}": None for i in range(256)}
            typesafe.system_one("s", {"q": sdk.Choice(instructions="x", criteria=options)})
        with pytest.raises(sdk.TypeSafeAPIError, match="413"):
            typesafe.system_one("word " * 30_000, {"q": sdk.Noul(instructions="x")})
        with pytest.raises(sdk.TypeSafeBadRequestError, match="images are not supported"):
            image = sdk.Image(b"\x89PNG\r\n\x1a\n" + bytes(20)) if callable(sdk.Image) else None
            typesafe.system_one(image, {"q": sdk.Noul(instructions="x")})
    assert unknown.value.request_id.startswith("req_")


def test_a_wrong_key_is_an_authentication_error():
    with live(FakeEngine(), Settings(api_key="right")) as server, client(server.url) as typesafe:
        with pytest.raises(sdk.TypeSafeAuthenticationError):
            typesafe.system_one("s", {"q": sdk.Noul(instructions="x")})


def test_a_refusal_under_load_is_sent_again_after_the_delay():
    settings = Settings(max_in_flight=1)
    with live(FakeEngine(), settings) as server, client(server.url) as typesafe:
        batcher = server.server.config.app.state.service.batcher
        batcher.admitted = 1
        retried: list[str] = []

        def free(request):
            retried.append(request.headers.get("x-typesafe-retry-count", "0"))
            if len(retried) == 2:
                batcher.admitted = 0

        typesafe_http = getattr(typesafe, "_client", None) or getattr(typesafe, "_http_client", None)
        if typesafe_http is None or not hasattr(typesafe_http, "event_hooks"):
            pytest.skip("this version of the SDK hides its HTTP client")
        typesafe_http.event_hooks = {"request": [free]}
        response = typesafe.system_one("s", {"q": sdk.Noul(instructions="x")})
    assert retried == ["0", "1"]
    assert response.answers["q"].noul >= 0
