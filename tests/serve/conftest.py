"""Servers and engines shared by the tests of one file."""

from collections.abc import Iterator

import pytest

from searchjev.serve.engine import Engine
from searchjev.serve.engines.onnx import OnnxEngine
from tests.serve.fake import FakeEngine
from tests.serve.live import Live, live


@pytest.fixture(scope="module")
def server() -> Iterator[Live]:
    with live(FakeEngine()) as running:
        yield running


@pytest.fixture(scope="module")
def url(server: Live) -> str:
    return server.url


@pytest.fixture(scope="module", params=["fake", pytest.param("bundled", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """The fake engine; with `-m slow` the model that comes with the package, too."""
    return FakeEngine() if request.param == "fake" else OnnxEngine.load()
