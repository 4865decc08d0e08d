"""Errors as the contract answers them: a list of places for malformed requests, else a type and a message."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from searchjev.strict_json import Problem


class Failure(Exception):
    """A request that ends with this status, type and message."""

    def __init__(
        self, status: int, error_type: str, message: str, *, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error_type = error_type
        self.message = message
        self.headers = headers
        self.more = more


class Overloaded(Failure):
    """A request that is refused at once because others are waiting."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        milliseconds = max(1, round(retry_after_s * 1000))
        headers = {"retry-after-ms": str(milliseconds), "retry-after": str(-(-milliseconds // 1000))}
        super().__init__(503, "overloaded_error", message, headers=headers)


def json_response(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer of a JSON value; ValueError when a number is not finite."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return Response(body, status, headers, media_type="application/json")


def failure_response(failure: Failure) -> Response:
    """Answer of a failure: `{"detail": {"error_type", "message", ...}}`."""
    detail: dict[str, Any] = {"error_type": failure.error_type, "message": failure.message, **failure.more}
    return json_response({"detail": detail}, failure.status, failure.headers)


def problems_response(problems: Sequence[Problem]) -> Response:
    """Answer of a malformed request: 422 with `{"detail": [{"type", "loc", "msg"}, ...]}`."""
    detail = [{"type": p.kind, "loc": list(p.place), "msg": p.message} for p in problems]
    return json_response({"detail": detail}, 422)
