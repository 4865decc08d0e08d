"""create_app(engine, settings): the contract as an ASGI app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from searchjev.serve import routes
from searchjev.serve.engine import Engine
from searchjev.serve.envelope import Envelope
from searchjev.serve.failure import Failure, failure_response, problems_response
from searchjev.serve.service import Service
from searchjev.serve.settings import Settings
from searchjev.wire import WireError

PATHS = "POST /v1/systemone, GET /v1/models, GET /health, GET /metrics"


def create_app(engine: Engine, settings: Settings | None = None) -> Starlette:
    """App that serves the engine; its lifespan starts the queue and, at the end, finishes what was admitted."""
    service = Service(engine, settings or Settings())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            await service.stop()

    app = Starlette(
        routes=[
            Route("/v1/systemone", routes.systemone, methods=["POST"]),
            Route("/v1/models", routes.models, methods=["GET"]),
            Route("/health", routes.health, methods=["GET"]),
            Route("/metrics", routes.metrics, methods=["GET"]),
        ],
        middleware=[Middleware(Envelope, service=service)],
        exception_handlers={Failure: _on_failure, WireError: _on_wire_error, HTTPException: _on_http_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def _on_failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, Failure)
    return failure_response(error)


def _on_wire_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WireError)
    return problems_response(error.problems)


def _on_http_error(request: Request, error: Exception) -> Response:
    """Answer to an unknown path or method."""
    assert isinstance(error, HTTPException)
    kind = {404: "not_found_error", 405: "method_not_allowed"}.get(error.status_code, "invalid_request_error")
    message = f"{request.method} {request.url.path[:80]}: {error.detail}; expected one of {PATHS}"
    return failure_response(Failure(error.status_code, kind, message, headers=error.headers))
