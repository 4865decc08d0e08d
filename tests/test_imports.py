"""The arrows of import: which part of the package may import which, and who never sees torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import searchjev

ROOT = Path(searchjev.__file__).parent
FOUNDATION = {"errors", "schema", "config", "progress", "digest"}
"""What every part may import."""

SOURCE_PARTS = {"source"}
"""What a part that isn't listed below may import: it is a helper of sources."""

ARROWS = {
    "errors": set(),
    "schema": {"errors"},
    "config": {"errors"},
    "progress": set(),
    "digest": set(),
    "prompt": {"errors", "schema"},
    "wording": set(),
    "source": set(),
    "strict_json": {"prompt"},
    "wire": {"strict_json"},
    "encode": {"prompt"},
    "bundle": {"prompt"},
    "decide": {"prompt", "encode", "bundle"},
    "readers": {"source"},
    "recipes": {"source"},
    "fetch": {"source"},
    "synth": {"source", "wording", "prompt"},
    "mining": {"source", "wording"},
    "release": {"source", "sources", "synth", "mining", "readers", "fetch", "wording", "prompt", "encode"},
    "models": {"prompt", "encode", "bundle", "release", "source", "sources"},
    "train": {"prompt", "encode", "bundle", "release", "models"},
    # a fit is judged by the measures that reports use, so calibrate reads evaluate, never the other way round
    "evaluate": {"prompt", "encode", "bundle", "decide", "release"},
    "calibrate": {"prompt", "encode", "bundle", "decide", "release", "evaluate"},
    "serve": {"prompt", "encode", "bundle", "decide", "wire", "strict_json"},
    "agent": {"prompt", "bundle", "decide", "wire", "strict_json"},
}
LEAVES = {"train.config", "train.precision"}
"""Modules of a later part that hold plain settings; `models` reads them."""

EXTRA_USERS = {"models", "train", "calibrate", "evaluate"}
"""The only parts that may import torch and its kin."""

EXTRAS = {"torch", "transformers", "peft", "accelerate", "safetensors", "onnx"}
FAST = ["searchjev.cli.main", "searchjev.decide", "searchjev.serve.app", "searchjev.serve.engines.onnx"]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in ROOT.rglob("*.py")}


def imported(name: str) -> set[str]:
    """Every module that a module imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import; write the whole name"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
    return found


def part(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def own_imports(name: str) -> set[str]:
    return {other for other in imported(name) if other.startswith("searchjev.")}


def is_allowed(name: str, other: str) -> bool:
    mine, theirs = part(name), part(other)
    if theirs == mine or mine in ("", "cli") or other.removeprefix("searchjev.") in LEAVES:
        return True
    if mine == "sources":
        return theirs in FOUNDATION | SOURCE_PARTS | {"recipes"}
    return theirs in ARROWS[mine] | (FOUNDATION if mine not in FOUNDATION else set())


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_along_the_arrows(name):
    against = sorted(other for other in own_imports(name) if not is_allowed(name, other))
    assert against == [], f"{name} imports {against}, against the arrows of tests/test_imports.py"


def reached(start: str) -> set[str]:
    """Modules of ours that importing one brings in, with the packages that hold them."""
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in MODULES:
            continue
        seen.add(name)
        waiting += own_imports(name)
        waiting.append(name.rpartition(".")[0])
    return seen


@pytest.mark.parametrize("name", FAST)
def test_answering_reaches_no_extra(name):
    users = {other for other in reached(name) if {item.split(".")[0] for item in imported(other)} & EXTRAS}
    assert users == set()


def test_answering_loads_no_extra():
    code = f"import sys, {', '.join(FAST)}; print(sorted({EXTRAS} & sys.modules.keys()))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_only_training_parts_import_extras():
    users = {
        name
        for name in MODULES
        if {item.split(".")[0] for item in imported(name)} & EXTRAS and part(name) not in EXTRA_USERS
    }
    assert users <= {"searchjev.fetch.install"}, "fetch writes weights with safetensors, and says so when it is missing"


def test_sources_import_nothing_heavy():
    helpers = {name for name in MODULES if part(name) and part(name) not in {*ARROWS, "sources", "cli"}}
    for name in {*helpers, *(name for name in MODULES if part(name) == "sources")}:
        outside = {item.split(".")[0] for item in imported(name)} - sys.stdlib_module_names
        assert outside <= {"searchjev", "msgspec"}, f"{name} imports {outside}"


def test_frameworks_stay_in_their_folder():
    for name in MODULES:
        if part(name) == "agent" and ".frameworks." not in name:
            outside = {item.split(".")[0] for item in imported(name)} - sys.stdlib_module_names
            assert outside <= {"searchjev", "msgspec", "numpy"}, f"{name} imports {outside}"
