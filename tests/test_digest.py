"""Draws that no process, order or neighbour changes."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import searchjev
from searchjev.digest import digest, draw, file_sha256, pick, shuffled

SCRIPT = """
from searchjev.digest import digest, draw, pick, shuffled
rows = [f"r{n:03}" for n in range(200)]
print([(digest(row), draw("split", row), pick(rows, row), shuffled("abcdefg", row)) for row in rows])
"""


def test_every_process_draws_the_same():
    """The built-in hash() is salted: a test inside one process would not see it."""
    outputs = set()
    for salt in ("0", "12345", "random"):
        environment = os.environ | {"PYTHONHASHSEED": salt}
        outputs.add(subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True).stdout)
    assert len(outputs) == 1 and len(outputs.pop()) > 1000


def test_values_are_fixed_for_ever():
    """A release of last year must come out the same: changing these numbers changes every split and wording."""
    assert digest("a", "b") == 5666916665733659087
    assert draw("split", "r000") == 0.19174443561286314
    assert pick("abc", "x") == "b" and shuffled("abcde", "x") == list("bdaec")


def test_parts_are_kept_apart():
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest("", "abc")}) == 5
    assert digest("\ud83d") != digest("?")


def test_draws_are_even():
    draws = [draw("seed", str(n)) for n in range(10_000)]
    assert all(0 <= value < 1 for value in draws)
    tenths = Counter(int(value * 10) for value in draws)
    assert len(tenths) == 10 and all(900 < count < 1100 for count in tenths.values())


def test_a_new_row_moves_no_other():
    rows = [f"r{n}" for n in range(200)]
    before = {row: draw("split", row) < 0.6 for row in rows}
    after = {row: draw("split", row) < 0.6 for row in ["new", *rows]}
    assert all(after[row] == before[row] for row in rows)


def test_shuffling_keeps_everything_and_reaches_every_order():
    assert sorted(shuffled("aab", "seed")) == ["a", "a", "b"] and shuffled([], "seed") == []
    assert len({tuple(shuffled("abc", str(n))) for n in range(100)}) == 6


def test_the_digest_of_a_file(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert file_sha256(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_nothing_in_the_package_draws_otherwise():
    for path in Path(searchjev.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "hash", f"{path}:{node.lineno}: hash() is salted; use searchjev.digest"
            if isinstance(node, ast.Import):
                assert "random" not in [name.name for name in node.names], f"{path}: random; use searchjev.digest"
