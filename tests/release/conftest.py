"""A release built once from the sources' own fixtures: real sources, hand-made records."""

import json
from pathlib import Path

import pytest

from searchjev.release.build import build
from searchjev.release.config import ReleaseConfig

FIXTURES = Path(__file__).parents[1] / "sources" / "fixtures"


@pytest.fixture(scope="session")
def fixture_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for fixture in sorted(FIXTURES.glob("*.in")):
        for name, text in json.loads(fixture.read_text("utf-8")).items():
            path = folder / fixture.stem / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    return folder


@pytest.fixture(scope="session")
def release_config(fixture_sources: Path, tokenizer_path: Path) -> ReleaseConfig:
    return ReleaseConfig(
        name="fixtures", release_version="1", sources=str(fixture_sources), tokenizer=str(tokenizer_path),
        calibration_rows=20, selection_rows=120,
    )  # fmt: skip


@pytest.fixture(scope="session")
def built(release_config: ReleaseConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import msgspec

    out = tmp_path_factory.mktemp("built") / "release"
    return build(msgspec.structs.replace(release_config, out=str(out)))
