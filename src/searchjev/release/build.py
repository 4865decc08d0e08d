"""`build(config, ...)`: the steps from source files to a release, in the order in which they happen."""

import logging
from pathlib import Path
from typing import Any

import msgspec

from searchjev.digest import digest, file_sha256
from searchjev.errors import SourceError
from searchjev.prompt import PROMPT_VERSION
from searchjev.release.config import ReleaseConfig
from searchjev.release.files import SPLITS, Manifest
from searchjev.release.item import Item, Ledger
from searchjev.release.report import Counts, data_report, report_page
from searchjev.release.steps.duplicates import drop_duplicates
from searchjev.release.steps.groups import group
from searchjev.release.steps.instructions import instruct
from searchjev.release.steps.normalise import normalise
from searchjev.release.steps.preflight import open_tokenizer, preflight
from searchjev.release.steps.read import read_sources
from searchjev.release.steps.split import split
from searchjev.release.steps.subsets import subsets
from searchjev.release.steps.weights import Budget, weigh
from searchjev.release.steps.write import Origin, Writer, write_calibration, write_rejects, write_rows
from searchjev.sources import all_sources, get_source

log = logging.getLogger(__name__)
FORMAT = 1
REFERENCE_TRAINING = {
    "base": "Qwen3-1.7B",
    "adapter": "LoRA",
    "contexts": "one question a forward pass",
    "max_tokens": 6_144,
    "question_weight": "loss_weight * row_loss_scale * bucket_multiplier",
}


def build(config: ReleaseConfig, only: list[str] | None = None, workers: int = 1) -> Path:
    """Build the release that the config describes; returns its folder.

    The bytes depend on sources, config and tokenizer alone: not on workers, machine or time.
    """
    ledger = Ledger()
    tokenizer_path = Path(config.tokenizer).expanduser()
    tokenizer = open_tokenizer(tokenizer_path)
    sources = read_sources(_allowed(only, ledger), Path(config.sources), config, workers, ledger)
    items = [item for source in sources for item in source.items]
    if not items:
        raise SourceError(f"{config.sources}: no source file found; give the folder of the sources with --sources")
    items = list(normalise(items, ledger))
    unique = drop_duplicates(items, ledger)
    items = group(unique.items, unique.ties, config, ledger)
    items = split(items, ledger)
    items = instruct(items, config, ledger)
    items = preflight(items, tokenizer, config, ledger)
    budget = weigh(items, config, ledger)
    files = {name: sha256 for source in sources for name, sha256 in source.files.items()}
    return _write(items, ledger, budget, config, files, file_sha256(tokenizer_path))


def _allowed(only: list[str] | None, ledger: Ledger) -> list[str]:
    """Names to read; sources whose licence allows evaluation alone never enter a release."""
    named = list(all_sources()) if only is None else sorted({get_source(name).name for name in only})
    refused = [name for name in named if get_source(name).licence_class == "evaluation-only"]
    if only is not None and refused:
        raise SourceError(f"{', '.join(refused)}: licensed for evaluation only, so no part of a release; leave it out")
    ledger.notes["refused_sources"] = refused
    return [name for name in named if name not in refused]


def _write(
    items: list[Item], ledger: Ledger, budget: Budget, config: ReleaseConfig, sources: dict[str, str], tokenizer: str
) -> Path:
    writer = Writer(Path(config.out))
    counts = Counts()
    origin = Origin(tokenizer, frozenset(item.source for item in items if item.split == "train"))
    for name in SPLITS:
        # neighbours in a file should not be neighbours in a source: readers that take the first rows get a mix
        rows = sorted((item for item in items if item.split == name), key=lambda item: digest("line", item.sample_id))
        write_rows(writer, name, rows, origin, counts)
    chosen = subsets(items, config)
    write_rows(writer, "model_selection", chosen.selection, origin)
    write_calibration(writer, chosen.calibration)
    write_rejects(writer, ledger)
    report = data_report(counts, ledger, budget, config)
    _write_documents(writer, report, budget, config)
    manifest = Manifest(
        format=FORMAT,
        name=config.name,
        release_version=config.release_version,
        files=writer.files,
        tokenizer_sha256=tokenizer,
        prompt_version=PROMPT_VERSION,
        config_sha256=writer.files["config.json"].sha256,
        source_files=dict(sorted(sources.items())),
        counts={"rows": report["rows"]["all"], "questions": report["questions"]["all"]},
        bucket_multiplier=budget.multiplier,
    )
    writer.document("manifest.json", manifest)
    log.info("release: %d rows in %s", len(items), writer.folder)
    return writer.folder


def _write_documents(writer: Writer, report: dict[str, Any], budget: Budget, config: ReleaseConfig) -> None:
    writer.document("data_report.json", report)
    writer.text("DATA_REPORT.md", report_page(report))
    writer.document("budget.json", budget._asdict())
    writer.document("training_config.json", {**REFERENCE_TRAINING, "bucket_multiplier": budget.multiplier})
    # without the folders of this machine, so that the bytes are the same on any
    writer.document("config.json", msgspec.structs.replace(config, sources="", out="", tokenizer=""))
