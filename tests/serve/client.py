"""Plain HTTP for tests: one request a connection, the answer decoded."""

import http.client
import json
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body, parse_constant=lambda name: f"must not be printed: {name}")

    @property
    def places(self) -> list[list[str | int]]:
        """Places of a 422 answer."""
        return [item["loc"] for item in self.json["detail"]]


def call(url: str, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def post(url: str, body: object, headers: dict[str, str] | None = None) -> Reply:
    """Evaluate; bytes go out as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return call(url, "POST", "/v1/systemone", data, {"Content-Type": "application/json", **(headers or {})})


def ask(state: object, **questions: object) -> dict[str, object]:
    """A request body."""
    return {"model": "jev-latest", "state": state, "questions": questions}


NOUL = {"type": "noul", "instructions": "Is it new?"}
