"""A finished training run into a bundle folder: ONNX, tokenizer, hashes, model card."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from searchjev.bundle import BUNDLE_FORMAT, BundleInfo
from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError
from searchjev.models.export import export_onnx
from searchjev.models.span_readout import TOKENIZER, load_trained
from searchjev.prompt import PROMPT_VERSION
from searchjev.release.reader import Release
from searchjev.source import Source
from searchjev.sources import all_sources
from searchjev.train.config import TrainConfig

MAX_TOKENS = 2_048


class BundleIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Name, version and date that the bundle bears."""

    name: str
    version: str
    release_date: str


def write_bundle(run: Path, out: Path, identity: BundleIdentity) -> Path:
    """Write the bundle of a run; the calibration is made later by `searchjev calibrate`."""
    config, trained_on = _run_record(run)
    release = Release.open(config.release)
    if trained_on["manifest_sha256"] != release.manifest_sha256:
        raise ArtifactError(f"{config.release}: not the release that {run} was trained on; give that release's folder")
    out.mkdir(parents=True, exist_ok=True)
    model = load_trained(run)
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    export_onnx(weights, model.shape, out / "model.onnx")
    (out / TOKENIZER).write_bytes((run / TOKENIZER).read_bytes())
    (out / "MODEL_CARD.md").write_text(_card(identity, config, release, trained_on), encoding="utf-8")
    (out / "calibration.json").unlink(missing_ok=True)
    info = BundleInfo(
        format=BUNDLE_FORMAT,
        name=identity.name,
        version=identity.version,
        release_date=identity.release_date,
        description="Span encoder for search decisions in Chinese and English",
        readout="span_encoder",
        prompt_version=PROMPT_VERSION,
        max_tokens=MAX_TOKENS,
        max_state_positions=384,
        max_positions=512,
        model_sha256=file_sha256(out / "model.onnx"),
        tokenizer_sha256=file_sha256(out / TOKENIZER),
        files={"MODEL_CARD.md": file_sha256(out / "MODEL_CARD.md")},
        release=f"{release.name} {release.version}",
        release_manifest_sha256=trained_on["manifest_sha256"],
    )
    (out / "bundle.json").write_bytes(msgspec.json.format(msgspec.json.encode(info)) + b"\n")
    return out


def _run_record(run: Path) -> tuple[TrainConfig, dict[str, Any]]:
    try:
        config = msgspec.json.decode((run / "config.json").read_bytes(), type=TrainConfig)
        return config, msgspec.json.decode((run / "release.json").read_bytes())
    except FileNotFoundError as error:
        raise ArtifactError(f"{error.filename}: missing, so no finished run; run 'searchjev train'") from None


def _card(identity: BundleIdentity, config: TrainConfig, release: Release, trained_on: dict[str, Any]) -> str:
    rows = Counter(line.row.source for line in release.lines("train"))
    sources = all_sources()
    table = "\n".join(_source_line(sources[name], count) for name, count in sorted(rows.items()))
    return CARD.format(
        name=identity.name,
        version=identity.version,
        base=_base_line(config),
        release=f"{release.name} {release.version}",
        steps=trained_on["step"],
        tokens=config.tokens,
        vocabulary=config.span.vocabulary,
        max_tokens=MAX_TOKENS,
        table=table,
    )


def _source_line(source: Source, rows: int) -> str:
    languages = ", ".join(source.languages)
    return f"| {source.name} | {languages} | {source.licence_class} | {source.licence} | {rows:,} |"


def _base_line(config: TrainConfig) -> str:
    record = Path(config.span.base).expanduser() / "base.json"
    precision = msgspec.json.decode(record.read_bytes()).get("precision", "") if record.exists() else ""
    if "4-bit" in precision:
        return "multilingual-e5-small, from a **4-bit copy** turned back into fp32 (not the original weights)"
    return f"multilingual-e5-small{f' ({precision})' if precision else ''}"


CARD = """# {name} {version}

A span encoder that answers typed questions (`noul`, `choice`, `score`) about the state of a search agent, in Chinese
and English, with a probability for every outcome.

- **Base**: {base}; vocabulary cut to about {vocabulary:,} pieces.
- **Training**: {steps:,} updates of about {tokens:,} tokens on `{release}`, on two CPU cores.
- **Limits**: {max_tokens:,} tokens of state, question and longest option. Longer input is refused, never cut. States
  over 384 tokens share position numbers and were hardly seen in training: expect less of them.
- **Use**: **research use.** The weights were trained on the sources below; several allow research only, and the terms
  of those marked `unknown` were not stated where the files were found. The licence of the code does not cover them.
- **Probabilities** are calibrated per question type on rows that training never saw, see `calibration.json`. On kinds
  of question or source unlike those below they are less reliable.

## Trained on

| source | languages | licence class | licence | training rows |
| --- | --- | --- | --- | ---: |
{table}
"""
