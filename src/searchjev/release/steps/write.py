"""The last step: every file of the release, whole or not at all; the manifest comes last and means complete."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from searchjev.digest import file_sha256
from searchjev.prompt import PROMPT_VERSION
from searchjev.release.files import FileEntry, IndexRow, TokenPreflight
from searchjev.release.item import Item, Ledger
from searchjev.release.report import Counts
from searchjev.release.script import script
from searchjev.release.steps.weights import label_of
from searchjev.schema import CAPABILITIES, Answer, NoulAnswer, Sample, ScoreAnswer, State

# any line reader must agree on the lines: these three count as line ends for some
_SEPARATORS = (("\u2028", b"\\u2028"), ("\u2029", b"\\u2029"), ("\u0085", b"\\u0085"))
FAMILIES = {
    "A": "search action", "B1": "document quality", "B2": "relevance", "C": "verification", "D1": "equivalence",
    "D2": "query assessment", "D3": "intent", "E": "general understanding",
}  # fmt: skip
LANES = {"demonstration": "imitation", "constructed": "synthetic", "weak": "weak"}
PROVENANCE = {
    "gold": "annotated",
    "derived": "rule on annotation",
    "constructed": "constructed",
    "demonstration": "demonstration",
    "weak": "weak",
}


class Blind(msgspec.Struct, frozen=True):
    """One line of the blind calibration file."""

    sample_id: str
    state: State
    questions: dict[str, Any]


class Reference(msgspec.Struct, frozen=True):
    """One line of the calibration reference."""

    sample_id: str
    source: str
    canonical_group: str
    answers: dict[str, Answer]


class Origin(NamedTuple):
    """What index rows say beyond their item: the tokenizer's digest, and the sources that train at all."""

    tokenizer_sha256: str
    trained: frozenset[str]


class Writer:
    """Writes files into a folder under temporary names and remembers size, lines and digest of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, FileEntry] = {}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "manifest.json").unlink(missing_ok=True)

    def lines(self, name: str, values: Iterable[object]) -> None:
        """One JSON value a line."""
        rows = 0
        temporary = self.folder / f"{name}.part"
        with temporary.open("wb") as file:
            for value in values:
                file.write(one_line(value))
                rows += 1
        self._keep(name, temporary, rows)

    def document(self, name: str, value: object) -> None:
        """One indented JSON document."""
        self.text(name, msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")

    def text(self, name: str, text: str) -> None:
        """A text file."""
        temporary = self.folder / f"{name}.part"
        temporary.write_text(text, encoding="utf-8", newline="\n")
        self._keep(name, temporary, text.count("\n"))

    def _keep(self, name: str, temporary: Path, rows: int) -> None:
        path = temporary.replace(self.folder / name)
        self.files[name] = FileEntry(bytes=path.stat().st_size, rows=rows, sha256=file_sha256(path))


def one_line(value: object) -> bytes:
    """JSON of a value and a line end, with the separators escaped."""
    data = msgspec.json.encode(value)
    for character, escaped in _SEPARATORS:
        data = data.replace(character.encode(), escaped)
    return data + b"\n"


def write_rows(writer: Writer, name: str, items: Sequence[Item], origin: Origin, counts: Counts | None = None) -> None:
    """NAME.jsonl and NAME_index.jsonl, line by line of the same rows, counted where counts are given."""

    def rows() -> Iterator[IndexRow]:
        for item in items:
            row = index_of(item, origin)
            if counts is not None:
                counts.add(name, row, item.questions)
            yield row

    writer.lines(f"{name}.jsonl", (sample_of(item) for item in items))
    writer.lines(f"{name}_index.jsonl", rows())


def write_calibration(writer: Writer, items: Sequence[Item]) -> None:
    """The blind questions, and their answers apart."""
    writer.lines("calibration_blind.jsonl", (Blind(i.sample_id, i.state, dict(i.questions)) for i in items))
    writer.lines("calibration_reference.jsonl", (Reference(i.sample_id, i.source, i.group, i.answers) for i in items))


def write_rejects(writer: Writer, ledger: Ledger) -> None:
    """Every drop, in a fixed order."""
    writer.lines("rejects.jsonl", (reject._asdict() for reject in sorted(ledger.rejects)))


def sample_of(item: Item) -> Sample:
    """Data line of an item."""
    return Sample(state=item.state, questions=item.questions, answers=item.answers, difficulty=item.row.difficulty)


def index_of(item: Item, origin: Origin) -> IndexRow:
    """Index line of an item."""
    names, row = list(item.questions), item.row
    return IndexRow(
        sample_id=item.sample_id,
        source=item.source,
        input_origin=row.origin,
        capability=row.capability,
        task_family=FAMILIES[CAPABILITIES[row.capability]],
        decision_bucket=CAPABILITIES[row.capability],
        training_lane=LANES.get(row.tier, "supervised"),
        supervision="soft" if any(_is_soft(answer) for answer in item.answers.values()) else "hard",
        weak=row.tier == "weak",
        label_tier=row.tier,
        target_provenance=PROVENANCE[row.tier],
        loss_weight=item.weights,
        row_loss_scale=item.scale,
        evaluation_eligible=dict.fromkeys(names, row.tier != "weak"),
        eval_track="in_distribution" if item.source in origin.trained else "held_out",
        gold={name: gold_of(item.answers[name]) for name in names},
        confidence={name: row.agreement.get(name) for name in names},
        teacher_reference_probability=dict.fromkeys(names),
        canonical_group=item.group,
        group_keys=item.keys,
        language_heuristic=script(item.state),
        difficulty=row.difficulty,
        token_preflight=TokenPreflight(origin.tokenizer_sha256, PROMPT_VERSION, item.tokens),
    )


def _is_soft(answer: Answer) -> bool:
    return max(answer.distribution) < 1.0


def gold_of(answer: Answer) -> bool | str | int:
    """Reference label of an answer: True or False, an option, or a level."""
    if isinstance(answer, NoulAnswer):
        return answer.noul >= 0.5
    return int(label_of(answer)) if isinstance(answer, ScoreAnswer) else label_of(answer)
