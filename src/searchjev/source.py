"""What a source declares and what it yields: files, raw records, rows and drops with their reasons."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from searchjev.schema import Answer, Language, Question, State

LicenceClass: TypeAlias = Literal["open", "research", "evaluation-only", "unknown"]
Tier: TypeAlias = Literal["gold", "derived", "constructed", "demonstration", "weak"]
SplitName: TypeAlias = Literal["train", "val", "test"]


class File(msgspec.Struct, frozen=True, kw_only=True):
    """One published file: its name, the reader that turns it into raw records, and the split it is published as.

    On disk the file may also lie compressed as NAME.xz or NAME.gz. A file with `joined` is not read into rows by
    itself; rows ask for it by name through `Files`.
    """

    name: str
    reader: str = "jsonl"
    encoding: str = "utf-8"
    split: SplitName | None = None
    joined: bool = False
    optional: bool = False
    url: str | None = None
    sha256: str | None = None


class Raw(msgspec.Struct, frozen=True):
    """One record as its reader found it, with file name, line (or item) number from 1, and the file's split."""

    value: Any
    file: str
    line: int
    split: SplitName | None = None

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - published records hold anything
        return self.value[key]

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        """Value of a field, or the default where the record lacks it."""
        return self.value.get(key, default)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One state with questions and answers of one capability.

    `upstream_id` is the id of the record within its source; rows of one record with the same capability are numbered by
    the builder. A question id must be a template of the capability's wording file (`wordings/CAPABILITY.toml`); its
    instructions stay None, for the builder draws the wording. `group_keys` name what ties the row to others beyond the
    source's own record (a document, a sentence, a dialogue); `mother` is the record that many rows are derived from.
    """

    upstream_id: str
    capability: str
    language: Language
    state: State
    questions: dict[str, Question]
    answers: dict[str, Answer]
    tier: Tier = "gold"
    origin: Literal["native", "derived", "mined", "translated", "synth_v1", "synth_tas"] = "native"
    split: SplitName | None = None
    mother: str | None = None
    group_keys: tuple[str, ...] = ()
    difficulty: int = 3
    agreement: Mapping[str, float] = {}


class Drop(msgspec.Struct, frozen=True):
    """A record that yields no row, with a short constant reason: reasons become counters."""

    reason: str


class Broken(msgspec.Struct, frozen=True):
    """A piece of a file that its reader could not turn into a record: file, line and a constant reason."""

    file: str
    line: int
    reason: str


class Files:
    """The files of one source on disk, for rows that need a second file beside their record."""

    def __init__(self, read: Callable[[File], Iterator["Raw | Broken"]], files: tuple[File, ...]) -> None:
        self._read = read
        self._files = {file.name: file for file in files}

    def read(self, name: str) -> Iterator[Raw]:
        """Every readable record of one declared file; broken ones are the build's rejects already."""
        return (record for record in self._read(self._files[name]) if isinstance(record, Raw))


Rows: TypeAlias = Callable[[Raw], Iterator[Row | Drop]]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One public data set: where it comes from, under which terms, and how its records become rows.

    Most sources give `rows`, a pure function of one record. One that must join files gives `prepare`, which reads the
    joined files once and returns that function. `held_out` keeps the whole source for test or for val.
    """

    name: str
    home: str
    licence: str
    licence_class: LicenceClass
    languages: tuple[Language, ...]
    capabilities: tuple[str, ...]
    files: tuple[File, ...]
    rows: Rows | None = None
    prepare: Callable[[Files], Rows] | None = None
    held_out: Literal["test", "val"] | None = None
    version: int = 1
    note: str = ""

    def folder(self, sources: Path) -> Path:
        """Folder that holds this source's files."""
        return sources / self.name
