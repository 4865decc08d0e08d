"""`verify(release)`: every claim of a release against what its files say."""

from collections.abc import Iterator
from pathlib import Path

from searchjev.progress import progress
from searchjev.release.files import SPLITS, read_document, read_manifest
from searchjev.release.verify.changes import Changes
from searchjev.release.verify.claim import Check, Claim
from searchjev.release.verify.files import Lines, file_claims
from searchjev.release.verify.groups import Duplicates, GroupSplits, HeldOut, KeySplits, StateSplits
from searchjev.release.verify.near import NearDuplicates
from searchjev.release.verify.reports import Reports
from searchjev.release.verify.rows import Alignment, Answers, Preflight, Questions, Taxonomy
from searchjev.release.verify.subsets import Subsets
from searchjev.release.verify.weights import Weights
from searchjev.sources import all_sources


def verify(release: Path, tokenizer: Path, *, full: bool = False) -> Iterator[Claim]:
    """Claims in turn; a release whose files are not those of its manifest is looked at no further."""
    manifest = read_manifest(release)
    whole = list(file_claims(release, manifest))
    yield from whole
    if any(claim.failed_at for claim in whole):
        return
    config = read_document(release / "config.json")
    report = read_document(release / "data_report.json")
    lines = Lines(release)
    checks: list[Check] = [
        Questions(), Answers(), Alignment(), Taxonomy(), GroupSplits(), KeySplits(),
        StateSplits(set(report["cut_keys"])), Duplicates(), NearDuplicates(release), HeldOut(all_sources()),
        Preflight(manifest, tokenizer, config["max_tokens"], full=full), Weights(release, manifest),
        Subsets(release, lines), Changes(release, manifest), Reports(release, manifest),
    ]  # fmt: skip
    total = sum(manifest.files[f"{split}.jsonl"].rows for split in SPLITS)
    for seen in progress((seen for split in SPLITS for seen in lines.read(split)), "verify", total):
        for check in checks:
            check.see(seen.at, seen.line)
    found = [claim for check in checks for claim in check.claims()]
    yield from lines.claims()
    yield from found
