"""`train(config) -> Path`: one loop for the span encoder and for a causal model with LoRA, with exact resume."""

import gc
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch

from searchjev.config import save_config
from searchjev.digest import draw
from searchjev.errors import DataError, SearchjevError
from searchjev.models.readout import Example, Readout, build_readout
from searchjev.progress import progress
from searchjev.release.files import Line
from searchjev.release.reader import Release
from searchjev.train.batches import batch_stream, epoch_batches
from searchjev.train.checkpoint import Progress, load_checkpoint, save_checkpoint
from searchjev.train.config import TrainConfig
from searchjev.train.loss import question_losses, weighted_sum
from searchjev.train.optimiser import Optimiser
from searchjev.train.validate import validate

log = logging.getLogger(__name__)
MAX_COPIES = 6.0


class Data(NamedTuple):
    """Training and validation examples, and the identity of their release."""

    train: list[Example]
    val: list[Example]
    manifest_sha256: str


def train(config: TrainConfig) -> Path:
    """Train to the config's last step, from its checkpoint where one exists; returns the run's folder."""
    torch.set_num_threads(config.threads or torch.get_num_threads())
    torch.manual_seed(config.seed)
    torch.set_flush_denormal(True)  # vanishing gradients cost many times a normal number's time
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    release = Release.open(config.release)
    lines = _lines(release, "train", config.max_rows, config.seed)
    readout = build_readout(config.readout, config, lines)
    data = _data(config, release, lines, readout)
    optimiser = Optimiser(readout.groups(), config)
    save_config(config, folder / "config.json")
    done = load_checkpoint(folder, readout, optimiser, config, data.manifest_sha256) or Progress(0, 0)
    # millions of examples' objects live to the end: without this each full collection walks them all, seconds a step
    gc.collect()
    gc.freeze()
    done = _run(config, folder, data, readout, optimiser, done)
    save_checkpoint(folder, done, readout, optimiser, config, data.manifest_sha256)
    readout.save(folder)
    (folder / "release.json").write_bytes(
        msgspec.json.encode({"name": release.name, "manifest_sha256": data.manifest_sha256, "step": done.step})
    )
    return folder


def _run(
    config: TrainConfig, folder: Path, data: Data, readout: Readout, optimiser: Optimiser, done: Progress
) -> Progress:
    begin = time.monotonic()
    per_update = _weight_per_update(data.train, config)
    stream = batch_stream(data.train, config.tokens, config.seed, done.step * config.accumulate)
    steps = range(done.step, config.steps)
    with (folder / "log.csv").open("a", encoding="utf-8") as table:
        for step in progress(steps, "training", len(steps)):
            batches = [[data.train[i] for i in next(stream)] for _ in range(config.accumulate)]
            loss = sum(_backward(readout, batch, config, per_update) for batch in batches)
            norm = optimiser.update(step)
            if norm != norm or norm == float("inf"):
                raise SearchjevError(f"step {step}: loss {loss}, gradient norm {norm}; lower lr; weights are unchanged")
            tokens = sum(max(e.tokens for e in batch) * len(batch) for batch in batches)
            done = Progress(step + 1, done.tokens + tokens)
            table.write(f"{done.step},{done.tokens},{loss:.5f},{norm:.4f},{time.monotonic() - begin:.1f}\n")
            if done.step % config.checkpoint_every == 0:
                table.flush()
                save_checkpoint(folder, done, readout, optimiser, config, data.manifest_sha256)
            if done.step % config.validate_every == 0 and data.val:
                log.info("step %d: %s", done.step, validate(readout, data.val, config.tokens))
    return done


def _backward(readout: Readout, batch: Sequence[Example], config: TrainConfig, per_update: float) -> float:
    targets = [target for example in batch for target in example.targets]
    loss = weighted_sum(question_losses(readout.logits(batch), targets, config.brier), targets) / per_update
    loss.backward()
    return float(loss.detach())


def _weight_per_update(examples: Sequence[Example], config: TrainConfig) -> float:
    """Weight of an average update: a constant of the run, so that weights mean the same in every batch."""
    batches = epoch_batches(examples, config.tokens, config.seed, 0)
    total = sum(target.weight * example.copies for example in examples for target in example.targets)
    return total / len(batches) * config.accumulate


def _lines(release: Release, split: str, limit: int | None, seed: int) -> list[Line]:
    lines = list(release.lines(split))
    if limit is None or len(lines) <= limit:
        return lines
    return sorted(lines, key=lambda line: draw(str(seed), line.row.sample_id))[:limit]


def _data(config: TrainConfig, release: Release, lines: list[Line], readout: Readout) -> Data:
    examples = _examples(lines, release, readout)
    if not examples:
        raise DataError(
            f"{config.release}: no training row fits the model; raise the row length or build other sources"
        )
    log.info("training rows: %d of %d fit, %d tokens", len(examples), len(lines), sum(e.tokens for e in examples))
    val = _examples(_lines(release, "val", config.validate_rows, config.seed), release, readout)
    return Data(_with_copies(examples), val, release.manifest_sha256)


def _examples(lines: list[Line], release: Release, readout: Readout) -> list[Example]:
    made = (readout.example(line, release.bucket_multiplier.get(line.row.decision_bucket, 1.0)) for line in lines)
    return [example for example in made if example is not None]


def _with_copies(examples: list[Example]) -> list[Example]:
    """Rows in proportion to their weight, each copy then weighing the same: no time goes to rows that hardly count."""
    weights = [sum(target.weight for target in example.targets) for example in examples]
    mean = sum(weights) / len(weights)
    out = []
    for example, weight in zip(examples, weights, strict=True):
        copies = min(MAX_COPIES, max(weight / mean, 0.02))
        targets = [target._replace(weight=target.weight / copies) for target in example.targets]
        out.append(example._replace(targets=targets, copies=copies))
    return out
