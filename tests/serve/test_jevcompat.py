"""The public conformance suite against a live server, with a key and without."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from searchjev.serve.settings import Settings
from tests.serve.live import live

SCRIPT = Path(sys.executable).with_name("jevcompat")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SCRIPT.exists(), reason="needs jevcompat: pip install 'searchjev[contract]'"),
]


@pytest.mark.parametrize("key", [None, "sesame"])
def test_every_requirement_is_met(engine, key, tmp_path):
    report = tmp_path / "report.json"
    with live(engine, Settings(api_key=key)) as server:
        with_key = ["--key", key] if key else []
        command = [str(SCRIPT), "test", server.url, *with_key, "--json", str(report)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MUST 32/32" in done.stdout
    assert ("SHOULD 15/15" if key else "SHOULD 13/13") in done.stdout, done.stdout
    assert json.loads(report.read_text())
