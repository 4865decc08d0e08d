"""The last step: every file of the release, written beside the old one, which it replaces when it is whole."""

import heapq
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from searchjev.digest import file_sha256
from searchjev.prompt import PROMPT_VERSION
from searchjev.release.files import FileEntry, IndexRow, TokenPreflight
from searchjev.release.item import Item, Ledger, one_line
from searchjev.release.report import Counts
from searchjev.release.script import script
from searchjev.release.spool import SpoolReader
from searchjev.release.steps.split import group_name
from searchjev.release.steps.weights import Floats
from searchjev.release.table import Digests, Ints, label_of
from searchjev.schema import CAPABILITIES, Answer, NoulAnswer, Sample, ScoreAnswer, State

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


class Lines(NamedTuple):
    """Rows to write: the spool files they lie in, and for each row in turn its place, group, weights and scale."""

    spools: tuple[str, ...]
    spool: Ints
    offset: Ints
    size: Ints
    group: Digests
    scale: Floats
    question_count: Ints
    weight: Floats

    def items(self) -> Iterator["Weighed"]:
        """Every row with its index facts."""
        reader = SpoolReader([Path(path) for path in self.spools], Item)
        weights = iter(self.weight.tolist())
        places = zip(self.spool.tolist(), self.offset.tolist(), self.size.tolist(), strict=True)
        facts = zip(self.group.tolist(), self.scale.tolist(), self.question_count.tolist(), strict=True)
        for item, (group, scale, count) in zip(reader.all(places), facts, strict=True):
            by_name = dict(zip(item.questions, [next(weights) for _ in range(count)], strict=True))
            yield Weighed(item, group_name(group), scale, by_name)
        reader.close()


class Weighed(NamedTuple):
    """A finished row with its group, scale and weights."""

    item: Item
    group: str
    scale: float
    weights: dict[str, float]


class WriteTask(NamedTuple):
    """A stretch of the lines of one split, and the path that their two files begin with."""

    split: str
    path: str
    lines: Lines
    origin: Origin


def write_stretch(task: WriteTask) -> Counts:
    """PATH.jsonl and PATH_index.jsonl, line by line of the same rows; returns what they hold."""
    counts = Counts()
    data, index = Path(f"{task.path}.jsonl"), Path(f"{task.path}_index.jsonl")
    with data.open("wb") as samples, index.open("wb") as rows:
        for one in task.lines.items():
            row = index_of(one, task.origin)
            counts.add(task.split, row, one.item.questions)
            samples.write(one_line(sample_of(one.item)))
            rows.write(one_line(row))
    return counts


class Writer:
    """Writes files into a folder and remembers size, lines and digest of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, FileEntry] = {}
        folder.mkdir(parents=True)

    def lines(self, name: str, values: Iterable[object]) -> None:
        """One JSON value a line."""
        self.raw(name, (one_line(value) for value in values))

    def raw(self, name: str, lines: Iterable[bytes]) -> None:
        """Lines as they are."""
        rows = 0
        with (self.folder / name).open("wb") as file:
            for line in lines:
                file.write(line)
                rows += 1
        self.keep(name, rows)

    def join(self, name: str, parts: list[Path], rows: int) -> None:
        """One file out of parts, which are deleted."""
        with (self.folder / name).open("wb") as file:
            for path in parts:
                with path.open("rb") as part:
                    shutil.copyfileobj(part, file, 1 << 20)
                path.unlink()
        self.keep(name, rows)

    def document(self, name: str, value: object) -> None:
        """One indented JSON document."""
        self.text(name, msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")

    def text(self, name: str, text: str) -> None:
        """A text file."""
        (self.folder / name).write_text(text, encoding="utf-8", newline="\n")
        self.keep(name, text.count("\n"))

    def keep(self, name: str, rows: int) -> None:
        """Remember a file that lies in the folder."""
        path = self.folder / name
        self.files[name] = FileEntry(bytes=path.stat().st_size, rows=rows, sha256=file_sha256(path))


def write_calibration(writer: Writer, lines: Lines) -> None:
    """The blind questions, and their answers apart."""
    rows = [(one.item, one.group) for one in lines.items()]
    writer.lines("calibration_blind.jsonl", (Blind(i.sample_id, i.state, dict(i.questions)) for i, _ in rows))
    writer.lines(
        "calibration_reference.jsonl", (Reference(i.sample_id, i.source, group, i.answers) for i, group in rows)
    )


def write_rejects(writer: Writer, ledger: Ledger) -> None:
    """Every drop, in the order of its line, merged from the sorted files of the tasks."""
    with ExitStack() as stack:
        files = [stack.enter_context(Path(path).open("rb")) for path in ledger.files]
        writer.raw("rejects.jsonl", heapq.merge(*files))


def sample_of(item: Item) -> Sample:
    """Data line of an item."""
    return Sample(state=item.state, questions=item.questions, answers=item.answers, difficulty=item.difficulty)


def index_of(one: Weighed, origin: Origin) -> IndexRow:
    """Index line of a finished row."""
    item = one.item
    names, bucket = list(item.questions), CAPABILITIES[item.capability]
    return IndexRow(
        sample_id=item.sample_id,
        source=item.source,
        input_origin=item.origin,
        capability=item.capability,
        task_family=FAMILIES[bucket],
        decision_bucket=bucket,
        training_lane=LANES.get(item.tier, "supervised"),
        supervision="soft" if any(_is_soft(answer) for answer in item.answers.values()) else "hard",
        weak=item.tier == "weak",
        label_tier=item.tier,
        target_provenance=PROVENANCE[item.tier],
        loss_weight=one.weights,
        row_loss_scale=one.scale,
        evaluation_eligible=dict.fromkeys(names, item.tier != "weak"),
        eval_track="in_distribution" if item.source in origin.trained else "held_out",
        gold={name: gold_of(item.answers[name]) for name in names},
        confidence={name: item.agreement.get(name) for name in names},
        teacher_reference_probability=dict.fromkeys(names),
        canonical_group=one.group,
        group_keys=item.keys,
        language_heuristic=script(item.state),
        difficulty=item.difficulty,
        token_preflight=TokenPreflight(origin.tokenizer_sha256, PROMPT_VERSION, item.tokens),
    )


def _is_soft(answer: Answer) -> bool:
    return max(answer.distribution) < 1.0


def gold_of(answer: Answer) -> bool | str | int:
    """Reference label of an answer: True or False, an option, or a level."""
    if isinstance(answer, NoulAnswer):
        return answer.noul >= 0.5
    return int(label_of(answer)) if isinstance(answer, ScoreAnswer) else label_of(answer)
