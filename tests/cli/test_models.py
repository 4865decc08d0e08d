import pytest

from searchjev.cli.main import main
from searchjev.fetch import install
from tests.fetch.fake_hub import write_whole


def test_list_names_the_bases(capsys):
    assert main(["models", "list"]) == 0
    assert "multilingual-e5-small" in capsys.readouterr().out


def test_a_whole_folder_is_not_fetched_again(capsys, tmp_path):
    write_whole(tmp_path, "qwen3-tokenizer", "hub")
    assert main(["models", "fetch", "qwen3-tokenizer", "--out", str(tmp_path), "--from", "hub"]) == 0
    assert f"qwen3-tokenizer: {tmp_path} (no weights, from hub)" in capsys.readouterr().out


def test_an_unknown_name_lists_near_ones(capsys):
    assert main(["models", "fetch", "qwen-tokenizer"]) == 2
    assert "did you mean qwen3-tokenizer" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["multilingual-e5-small", "qwen3-tokenizer"])
def test_the_default_folder_is_in_the_cache(monkeypatch, tmp_path, name):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert install.default_folder(name) == tmp_path / ".cache" / "searchjev" / name
