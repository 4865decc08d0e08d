"""What became of every row since a previous release: changes.jsonl, and the history of versions.

Wordings are part of a question and count; loss weights don't, for one new source shifts them all.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from searchjev.digest import digest
from searchjev.errors import ArtifactError
from searchjev.release.files import SPLITS, Manifest, read_document
from searchjev.release.item import one_line

FIELDS = ("state", "questions", "answers")
KINDS = ("added", "changed", "moved", "removed")
HISTORY = "VERSION_HISTORY.json"


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row that isn't as it was: which kind of change, the fields that differ, its splits, and the reason."""

    sample_id: str
    change: str
    reason: str
    fields: list[str] = []
    before: str | None = None
    after: str | None = None


class _Key(msgspec.Struct):
    sample_id: str
    source: str
    canonical_group: str


class _Body(msgspec.Struct):
    state: msgspec.Raw
    questions: msgspec.Raw
    answers: msgspec.Raw


class Seen(NamedTuple):
    """A row of a release in digests."""

    split: str
    source: str
    group: str
    body: tuple[int, ...]


def rows_of(release: Path) -> Iterator[tuple[str, Seen]]:
    """Every row of a release by its sample id."""
    key_of, body_of = msgspec.json.Decoder(_Key), msgspec.json.Decoder(_Body)
    for split in SPLITS:
        data, index = release / f"{split}.jsonl", release / f"{split}_index.jsonl"
        try:
            with data.open("rb") as samples, index.open("rb") as rows:
                for sample, row in zip(samples, rows, strict=True):
                    key, body = key_of.decode(row), body_of.decode(sample)
                    parts = tuple(digest(bytes(getattr(body, name)).decode()) for name in FIELDS)
                    yield key.sample_id, Seen(split, key.source, key.canonical_group, parts)
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise ArtifactError(f"{release}: {split} can't be compared with ({error}); give another release") from None


def changes(previous: Path, release: Path) -> Iterator[Change]:
    """Changes from one release to another, by sample id."""
    before, after = dict(rows_of(previous)), dict(rows_of(release))
    sources = {row.source for row in before.values()}, {row.source for row in after.values()}
    left = {name for name in before if name not in after}
    reasons = _rejected(release / "rejects.jsonl", left)
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None and new is not None:
            reason = "its source gives it now" if new.source in sources[0] else "new source"
            yield Change(name, "added", reason, after=new.split)
        elif new is None and old is not None:
            reason = "its source gives it no longer" if old.source in sources[1] else "source left out"
            yield Change(name, "removed", reasons.get(name, reason), before=old.split)
        elif old is not None and new is not None:
            yield from _difference(name, old, new)


def _difference(name: str, old: Seen, new: Seen) -> Iterator[Change]:
    fields = [field for field, a, b in zip(FIELDS, old.body, new.body, strict=True) if a != b]
    if old.split != new.split:
        reason = "its group changed" if old.group != new.group else "its group's protection changed"
        yield Change(name, "moved", reason, fields, old.split, new.split)
    elif fields:
        yield Change(name, "changed", "its source or its wording changed", fields, old.split, new.split)


def _rejected(path: Path, names: set[str]) -> dict[str, str]:
    """Reasons why rows that were there before were dropped now."""
    found: dict[str, str] = {}
    with path.open("rb") as lines:
        for line in lines:
            reject = msgspec.json.decode(line, type=dict[str, str])
            name = reject["where"].partition("#")[0]
            if name in names:
                found[name] = f"{reject['step']}: {reject['reason']}"
    return found


def write_changes(previous: Path | None, release: Path) -> dict[str, int]:
    """Write changes.jsonl; returns how many of each kind."""
    counts: Counter[str] = Counter()
    with (release / "changes.jsonl").open("wb") as file:
        for change in changes(previous, release) if previous else ():
            counts[change.change] += 1
            file.write(one_line(change))
    return {kind: counts[kind] for kind in KINDS}


def history(previous: Path | None, manifest: Manifest, counts: dict[str, int]) -> list[dict[str, Any]]:
    """Versions from the oldest to this one: rows by split, and changes against the version before."""
    path = previous / HISTORY if previous else None
    earlier = read_document(path)["versions"] if path and path.is_file() else []
    rows = manifest.counts["rows"]
    return [*earlier, {"version": manifest.release_version, "rows": rows, "changes": counts if previous else None}]


def history_page(name: str, versions: list[dict[str, Any]]) -> str:
    """The history as Markdown."""
    lines = [f"# {name}: versions\n", f"| version | {' | '.join([*SPLITS, *KINDS])} |"]
    lines.append("| --- |" + " ---: |" * (len(SPLITS) + len(KINDS)))
    for one in versions:
        cells = [f"{one['rows'][split]:,}" for split in SPLITS]
        cells += [f"{one['changes'][kind]:,}" if one["changes"] else "" for kind in KINDS]
        lines.append(f"| {one['version']} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "changes.jsonl names every row behind the last line's changes, with its reason.", ""])
