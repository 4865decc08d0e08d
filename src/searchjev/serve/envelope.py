"""What every response gets: a request id, a count, and an answer in JSON even when the code fails."""

import asyncio
import logging
import uuid

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from searchjev.serve.failure import Failure, Overloaded, failure_response
from searchjev.serve.service import Service

REQUEST_ID = "x-typesafe-request-id"
log = logging.getLogger(__name__)


class Envelope:
    """Middleware around the whole app."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, started = f"req_{uuid.uuid4().hex}", False

        async def send_marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._mark(message, request_id)
            await send(message)

        try:
            await self.app(scope, receive, send_marked)
        except asyncio.CancelledError:  # the time to finish after a signal is over
            if started:
                raise
            stopped = Overloaded("the server stopped before the request was answered; send it again", 1.0)
            await failure_response(stopped)(scope, receive, send_marked)
        except Exception:
            log.exception("request %s: failed", request_id)
            if started:
                raise
            failure = Failure(500, "api_error", f"internal error; the server's log has it under {request_id}")
            await failure_response(failure)(scope, receive, send_marked)

    def _mark(self, message: Message, request_id: str) -> None:
        headers = MutableHeaders(scope=message)
        headers[REQUEST_ID] = request_id
        if self.service.is_stopping:
            headers["connection"] = "close"
        self.service.metrics.responses[message["status"]] += 1
