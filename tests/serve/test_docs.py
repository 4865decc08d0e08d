"""docs/serve.md says what the code does."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from searchjev.config import load_config
from searchjev.errors import ConfigError
from searchjev.serve.settings import Settings
from tests.serve.client import post

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "serve.md").read_text()


def test_the_example_is_answered(url):
    body = re.search(r"-d '(.*?)'", TEXT, re.DOTALL)[1]
    reply = post(url, body.encode())
    assert reply.status == 200
    assert list(reply.json["answers"]) == list(json.loads(body)["questions"])


def test_the_table_of_settings_is_the_struct():
    section = TEXT.split("## Limits")[1].split("## ")[0]
    documented = {
        key: json.loads(value) for key, value in re.findall(r"^\| `(\w+)` \| `?(.+?)`? \|", section, re.MULTILINE)
    }
    defaults = json.loads(msgspec.json.encode(Settings()))
    assert documented == {key: value for key, value in defaults.items() if key != "api_key"}


@pytest.mark.parametrize("line", ["max_in_flight = 0", "timeout_s = 0.0", "batch_requests = 1.5", "port = 1"])
def test_a_setting_that_makes_no_sense_is_refused(line, tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(line)
    with pytest.raises(ConfigError, match=line.split()[0]):
        load_config(path, Settings)
