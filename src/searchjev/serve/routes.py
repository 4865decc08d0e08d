"""The routes: evaluate, models, health, metrics."""

import asyncio
import hmac
import time

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from searchjev.serve.body import read_body
from searchjev.serve.engine import Logits
from searchjev.serve.failure import Failure, json_response
from searchjev.serve.service import Service


async def systemone(http: Request) -> Response:
    """POST /v1/systemone: answers to typed questions about a state."""
    service = _service(http)
    check_key(http, service)
    begin = time.perf_counter()
    with service.admitted_request():
        _check_media_type(http)
        body = await read_body(http, service.settings.max_body_bytes, service.settings.body_timeout_s)
        request = service.parse(body)
        prepared = await service.tokenise(request, len(body))
        logits = await _unless_gone(http, service.run(prepared))
        answer = service.decide(request, prepared, logits)
    service.metrics.seconds += time.perf_counter() - begin
    return json_response(answer)


async def models(http: Request) -> Response:
    """GET /v1/models: the served model under each of its names."""
    service = _service(http)
    check_key(http, service)
    identity = service.engine.identity
    described = [
        identity.description if name == identity.name else f"alias of {identity.name}" for name in service.names
    ]
    entries = [
        {"name": name, "description": text, "release_date": identity.release_date}
        for name, text in zip(service.names, described, strict=True)
    ]
    return json_response({"models": entries})


async def health(http: Request) -> Response:
    """GET /health: 200 while requests are served, 503 once the server is stopping."""
    service = _service(http)
    identity = service.engine.identity
    content = {
        "status": "stopping" if service.is_stopping else "ok",
        "model": identity.name,
        "version": identity.version,
        "calibration": identity.calibration,
        "waiting": service.batcher.depth,
    }
    return json_response(content, 503 if service.is_stopping else 200)


async def metrics(http: Request) -> Response:
    """GET /metrics: counts in Prometheus' text form."""
    service = _service(http)
    return PlainTextResponse(service.metrics.text(service.batcher))


def check_key(http: Request, service: Service) -> None:
    """Failure 401 unless the request carries the key that the server was given, if any."""
    expected = service.settings.api_key
    if expected is None:
        return
    scheme, _, key = http.headers.get("authorization", "").partition(" ")
    headers = {"www-authenticate": "Bearer"}
    if scheme.lower() != "bearer" or not key.strip():
        message = "no API key; send the header 'Authorization: Bearer KEY'"
        raise Failure(401, "authentication_error", message, headers=headers)
    if not hmac.compare_digest(key.strip().encode("latin-1"), expected.encode()):
        raise Failure(401, "authentication_error", "the API key is not the server's", headers=headers)


def _check_media_type(http: Request) -> None:
    if http.headers.get("content-type", "").lower().startswith("multipart/"):
        message = "multipart body: images are not supported, this model reads text; send JSON"
        raise Failure(400, "api_usage_error", message)


async def _unless_gone(http: Request, future: asyncio.Future[Logits]) -> Logits:
    """Result of the future; it is cancelled, and so never computed, when the client hangs up first."""
    gone = asyncio.ensure_future(_disconnected(http))
    try:
        await asyncio.wait((future, gone), return_when=asyncio.FIRST_COMPLETED)
        if not future.done():
            raise Failure(499, "client_closed_request", "the client closed the connection")
        return future.result()
    finally:
        gone.cancel()
        future.cancel()


async def _disconnected(http: Request) -> None:
    while (await http.receive())["type"] != "http.disconnect":
        pass


def _service(http: Request) -> Service:
    service: Service = http.app.state.service
    return service
