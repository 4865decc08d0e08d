"""Lines of a release that others wrote: fields unknown here are kept apart, fields that only describe may be missing.

What training and evaluation go by must be there and of the right kind: state, questions, answers, sample id, source,
capability, bucket, group, weights.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from searchjev.errors import ArtifactError
from searchjev.release.files import IndexRow, Line, TokenPreflight
from searchjev.schema import CAPABILITIES, Sample

DESCRIBING: Mapping[str, Any] = {
    "input_origin": "native", "task_family": "", "training_lane": "", "supervision": "", "weak": False,
    "label_tier": "", "target_provenance": "", "eval_track": "in_distribution", "gold": {}, "confidence": {},
    "teacher_reference_probability": {}, "group_keys": [], "language_heuristic": "other",
    "token_preflight": TokenPreflight("", "", {}),
}  # fmt: skip
"""Index fields that no figure is computed from, with what stands in for a missing or differently shaped one."""

PER_QUESTION = ("loss_weight", "evaluation_eligible")
"""Fields by question that may also be one value for all questions of the row."""

_TYPES = {field.name: field.type for field in msgspec.structs.fields(IndexRow)}
_SAMPLE = tuple(Sample.__struct_fields__)


def foreign_line(sample: bytes, index: bytes, name: str, number: int) -> Line:
    """Line of two JSON objects; an ArtifactError names file, line and the field that can't be used."""
    with _named(f"{name}.jsonl, line {number}"):
        given = msgspec.json.decode(sample, type=dict[str, Any])
    with _named(f"{name}_index.jsonl, line {number}"):
        facts = msgspec.json.decode(index, type=dict[str, Any])
    facts.setdefault("difficulty", given.get("difficulty", 3))
    given.setdefault("difficulty", facts["difficulty"])
    with _named(f"{name}.jsonl, line {number}"):
        read = msgspec.convert({name: given[name] for name in _SAMPLE if name in given}, Sample)
    with _named(f"{name}_index.jsonl, line {number}"):
        row = _row(facts, list(read.questions))
    known = {*_SAMPLE, *_TYPES}
    return Line(
        read, row, {name: value for part in (given, facts) for name, value in part.items() if name not in known}
    )


def _row(facts: dict[str, Any], questions: list[str]) -> IndexRow:
    facts.setdefault("decision_bucket", CAPABILITIES.get(facts.get("capability", ""), "E"))
    facts.setdefault("evaluation_eligible", True)
    for name in PER_QUESTION:
        if name in facts and not isinstance(facts[name], dict):
            facts[name] = dict.fromkeys(questions, facts[name])
    row = {name: _fitting(name, facts[name]) for name in _TYPES if name in facts}
    return msgspec.convert({**DESCRIBING, **row}, IndexRow)


@contextmanager
def _named(where: str) -> Iterator[None]:
    try:
        yield
    except msgspec.DecodeError as error:
        raise ArtifactError(f"{where}: {error}; build the release again, or mend that line") from None


def _fitting(name: str, value: object) -> object:
    """Value as it is, or what stands in for it where it only describes and has another shape."""
    if name not in DESCRIBING:
        return value
    try:
        return msgspec.convert(value, _TYPES[name])
    except msgspec.ValidationError:
        return DESCRIBING[name]
