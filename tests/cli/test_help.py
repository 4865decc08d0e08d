import os
import subprocess
import sys

import pytest

from searchjev.cli.main import VERBS, main

HEAVY = ("numpy", "onnxruntime", "torch", "rich", "starlette", "tokenizers")


def test_help_is_fast():
    """0.3 s of processor time; the best of five, for other programs share the machine."""
    command = [sys.executable, "-m", "searchjev.cli.main", "--help"]
    seconds = []
    for _ in range(5):
        begin = os.times()
        subprocess.run(command, check=True, capture_output=True)
        end = os.times()
        seconds.append(end.children_user - begin.children_user + end.children_system - begin.children_system)
    assert min(seconds) < 0.3


def test_help_loads_nothing_heavy():
    code = (
        "import sys, searchjev\nfrom searchjev.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]" and "verbs:" in result.stdout


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_explains_itself(verb, capsys):
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    assert end.value.code == 0 and f"searchjev {verb}" in capsys.readouterr().out


def test_an_unknown_verb_lists_the_known(capsys):
    with pytest.raises(SystemExit) as end:
        main(["sevre"])
    assert end.value.code == 2 and "serve" in capsys.readouterr().err
