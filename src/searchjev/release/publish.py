"""From weighed rows to the files of a release: data and index by split, subsets, reports, and last the manifest."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from searchjev.progress import progress
from searchjev.prompt import PROMPT_VERSION
from searchjev.release.changes import HISTORY, history, history_page, write_changes
from searchjev.release.config import ReleaseConfig
from searchjev.release.engine import Engine
from searchjev.release.files import SPLITS, Manifest
from searchjev.release.item import Ledger
from searchjev.release.report import Counts, data_report, report_page
from searchjev.release.steps.subsets import Candidate, Subsets, subsets
from searchjev.release.steps.weights import Budget, Floats
from searchjev.release.steps.write import (
    Lines,
    Origin,
    Writer,
    WriteTask,
    write_calibration,
    write_rejects,
    write_stretch,
)
from searchjev.release.table import PROTECTION, Codes, Digests, Ints, begins, mixed

FORMAT = 1
STRETCH = 10_000
"""Lines of one task."""
REFERENCE_TRAINING = {
    "base": "Qwen3-1.7B",
    "adapter": "LoRA",
    "contexts": "one question a forward pass",
    "max_tokens": 6_144,
    "question_weight": "loss_weight * row_loss_scale * bucket_multiplier",
}


class Built(NamedTuple):
    """All rows as the steps leave them: one entry a row in each array, one a question that stays in `weight`.

    `size` is 0 for rows that left; `source` counts in `source_names`, `spool` in `spools`.
    """

    source_names: list[str]
    source_files: dict[str, str]
    spools: tuple[str, ...]
    spool: Ints
    offset: Ints
    size: Ints
    sample: Digests
    source: Ints
    capability: Codes
    split: Codes
    group: Digests
    scale: Floats
    question_count: Ints
    weight: Floats
    budget: Budget

    def of_split(self, name: str) -> Ints:
        """Rows of a split: neighbours in a file are no neighbours in a source, so the first rows are a mix."""
        rows = np.flatnonzero((self.size > 0) & (self.split == PROTECTION.index(name)))
        return self.ordered(rows)

    def ordered(self, rows: Ints) -> Ints:
        """The rows in the order of lines."""
        return rows[np.lexsort((self.sample[rows], mixed(self.sample[rows], "line")))]

    def lines(self, rows: Ints) -> Lines:
        """What is written of these rows."""
        counts = self.question_count[rows]
        # places of the questions of each row in turn
        shift = np.repeat(begins(self.question_count)[rows] - begins(counts)[:-1], counts)
        return Lines(
            spools=self.spools,
            spool=self.spool[rows],
            offset=self.offset[rows],
            size=self.size[rows],
            group=self.group[rows],
            scale=self.scale[rows],
            question_count=counts,
            weight=self.weight[np.arange(len(shift)) + shift],
        )


def publish(built: Built, config: ReleaseConfig, ledger: Ledger, origin: Origin, engine: Engine, folder: Path) -> None:
    """Write FOLDER/release."""
    writer, counts = Writer(folder / "release"), Counts()
    for name in SPLITS:
        counts.merge(_write_lines(writer, name, built, built.of_split(name), origin, engine))
    chosen = _subsets(built, config)
    _write_lines(writer, "model_selection", built, built.ordered(np.array(chosen.selection, np.int64)), origin, engine)
    write_calibration(writer, built.lines(built.ordered(np.array(chosen.calibration, np.int64))))
    write_rejects(writer, ledger)
    report = data_report(counts, ledger, built.budget, config)
    _write_documents(writer, report, built.budget, config)
    manifest = Manifest(
        format=FORMAT,
        name=config.name,
        release_version=config.release_version,
        files=writer.files,
        tokenizer_sha256=origin.tokenizer_sha256,
        prompt_version=PROMPT_VERSION,
        config_sha256=writer.files["config.json"].sha256,
        source_files=dict(sorted(built.source_files.items())),
        counts={"rows": report["rows"]["all"], "questions": report["questions"]["all"]},
        bucket_multiplier=built.budget.multiplier,
    )
    _write_history(writer, manifest, Path(config.previous).expanduser() if config.previous else None)
    writer.document("manifest.json", msgspec.structs.replace(manifest, files=dict(writer.files)))


def _write_history(writer: Writer, manifest: Manifest, previous: Path | None) -> None:
    counts = write_changes(previous, writer.folder)
    writer.keep("changes.jsonl", sum(counts.values()))
    versions = history(previous, manifest, counts)
    writer.document(HISTORY, {"versions": versions})
    writer.text("VERSION_HISTORY.md", history_page(manifest.name, versions))


def _write_lines(writer: Writer, name: str, built: Built, rows: Ints, origin: Origin, engine: Engine) -> Counts:
    """NAME.jsonl and NAME_index.jsonl, written in stretches by the engine and joined."""
    parts = [rows[begin : begin + STRETCH] for begin in range(0, len(rows), STRETCH)]
    path = writer.folder.parent / "work" / name
    tasks = [WriteTask(name, f"{path}-{i}", built.lines(part), origin) for i, part in enumerate(parts)]
    counts = Counts()
    results = engine.map(write_stretch, tasks, [len(part) for part in parts])
    for one in progress(results, f"writing {name}", len(tasks)):
        counts.merge(one)
    for kind in ("", "_index"):
        writer.join(f"{name}{kind}.jsonl", [Path(f"{task.path}{kind}.jsonl") for task in tasks], len(rows))
    return counts


def _subsets(built: Built, config: ReleaseConfig) -> Subsets:
    rows = np.flatnonzero((built.size > 0) & (built.split == PROTECTION.index("val")))
    turns = mixed(built.sample[rows], "turn")
    columns = (turns, rows, built.source[rows], built.capability[rows], built.group[rows])
    return subsets([Candidate(*row) for row in zip(*(column.tolist() for column in columns), strict=True)], config)


def _write_documents(writer: Writer, report: dict[str, Any], budget: Budget, config: ReleaseConfig) -> None:
    writer.document("data_report.json", report)
    writer.text("DATA_REPORT.md", report_page(report))
    writer.document("budget.json", budget._asdict())
    writer.document("training_config.json", {**REFERENCE_TRAINING, "bucket_multiplier": budget.multiplier})
    # without the folders of this machine, so that the bytes are the same on any
    writer.document("config.json", msgspec.structs.replace(config, sources="", out="", tokenizer="", previous=""))
