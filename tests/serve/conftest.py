"""A server with the fake engine, shared by the tests of one file."""

from collections.abc import Iterator

import pytest

from tests.serve.fake import FakeEngine
from tests.serve.live import Live, live


@pytest.fixture(scope="module")
def server() -> Iterator[Live]:
    with live(FakeEngine()) as running:
        yield running


@pytest.fixture(scope="module")
def url(server: Live) -> str:
    return server.url
