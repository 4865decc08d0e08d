"""The change log between two releases: what was added, changed, moved and removed, and why."""

import json
from collections import Counter

import msgspec
import pytest

from searchjev.release.build import build
from searchjev.release.verify.run import verify

from .test_build import digests, lines


@pytest.fixture(scope="module")
def pair(release_config, fixture_sources, tmp_path_factory):
    """A release without hotpotqa and with fewer negated statements, and the whole one built after it."""
    folder = tmp_path_factory.mktemp("versions")
    names = [path.name for path in fixture_sources.iterdir() if path.name not in ("hotpotqa", "alignbench")]
    known = [name for name in names if name in allowed()]
    earlier = msgspec.structs.replace(release_config, release_version="0", out=str(folder / "0"), negated_share=0.0)
    old = build(earlier, only=known)
    later = msgspec.structs.replace(release_config, release_version="1", out=str(folder / "1"), previous=str(old))
    return old, build(later)


def allowed() -> list[str]:
    from searchjev.sources import all_sources

    return [source.name for source in all_sources().values() if source.licence_class != "evaluation-only"]


def test_every_difference_has_a_line_and_a_reason(pair):
    old, new = pair
    found = lines(new, "changes.jsonl")
    assert found and all(change["reason"] for change in found)
    kinds = Counter(change["change"] for change in found)
    ids = [
        {json.loads(line)["sample_id"] for split in ("train", "val", "test") for line in open_index(folder, split)}
        for folder in pair
    ]
    assert {c["sample_id"] for c in found if c["change"] == "added"} == ids[1] - ids[0]
    assert {c["sample_id"] for c in found if c["change"] == "removed"} == ids[0] - ids[1]
    hotpot = [c for c in found if c["sample_id"].startswith("hotpotqa/")]
    assert hotpot and {(c["change"], c["reason"]) for c in hotpot} == {("added", "new source")}
    changed = [c for c in found if c["change"] == "changed"]
    assert any("questions" in c["fields"] and "answers" in c["fields"] for c in changed)
    history = json.loads((new / "VERSION_HISTORY.json").read_text("utf-8"))["versions"]
    assert [one["version"] for one in history] == ["0", "1"]
    assert {kind: count for kind, count in history[1]["changes"].items() if count} == dict(kinds)


def open_index(folder, split):
    return (folder / f"{split}_index.jsonl").read_text("utf-8").splitlines()


def test_a_release_against_itself_has_no_changes(built, release_config, tmp_path):
    again = build(msgspec.structs.replace(release_config, out=str(tmp_path / "again"), previous=str(built)))
    assert lines(again, "changes.jsonl") == []
    same = {name for name, value in digests(built).items() if digests(again)[name] == value}
    assert set(digests(built)) - same <= {"VERSION_HISTORY.json", "VERSION_HISTORY.md", "manifest.json"}


def test_a_log_that_names_the_wrong_split_fails(pair, tokenizer_path):
    from .test_verify import change

    _, new = pair
    assert not [claim for claim in verify(new, tokenizer_path) if claim.failed_at]

    def edit(rows):
        rows[0]["after"] = "val" if rows[0].get("after") == "train" else "train"

    change(new, "changes.jsonl", edit)
    failed = {claim.name: claim.failed_at for claim in verify(new, tokenizer_path) if claim.failed_at}
    assert failed == {"changes": "changes.jsonl, line 1, after"}
