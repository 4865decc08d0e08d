"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

from tests import tiny

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def tokenizer_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_tokenizer(tmp_path_factory.mktemp("tokenizer") / "tokenizer.json")


@pytest.fixture(scope="session")
def toy_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def shared_sources() -> Path:
    """The real source files, where they lie beside the checkout."""
    folder = SHARED / "data" / "sources"
    if not folder.is_dir():
        pytest.skip("needs the real source files, ../shared/data/sources beside the checkout")
    return folder
