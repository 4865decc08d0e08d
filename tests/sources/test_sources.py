"""Every source against its hand-made fixture, and against the head of its real files where they are there."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from searchjev.readers import locate, read_file
from searchjev.schema import CAPABILITIES, Choice, Noul, Score, check_answer, check_question
from searchjev.source import Broken, Drop, File, Files, Raw, Row, Source
from searchjev.sources import all_sources
from searchjev.wording import template

FIXTURES = Path(__file__).parent / "fixtures"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "sources"
HEAD = 200
WITHOUT_FIXTURE: frozenset[str] = frozenset()
"""Sources whose fixture is still owed; nothing new may be added here."""


def rows_function(source: Source, folder: Path):
    def read(file: File) -> Iterator[Raw | Broken]:
        path = locate(folder, file.name)
        return read_file(path, file) if path else iter(())

    return source.rows or source.prepare(Files(read, source.files))


def unpack(fixture: Path, folder: Path) -> None:
    for name, text in json.loads(fixture.read_text("utf-8")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())


def pieces(source: Source, folder: Path, limit: int | None = None) -> Iterator[Row | Drop]:
    to_rows = rows_function(source, folder)
    for file in source.files:
        path = locate(folder, file.name)
        assert path or file.optional or limit is None, f"{source.name}: {file.name} is missing"
        if path is None or file.joined:
            continue
        for raw in itertools.islice(read_file(path, file), limit):
            found = [Drop(raw.reason)] if isinstance(raw, Broken) else list(to_rows(raw))
            assert found, f"{source.name}, {raw.file}:{raw.line}: neither a row nor a drop"
            yield from found


def as_line(piece: Row | Drop) -> str:
    return msgspec.json.encode({"drop": piece.reason} if isinstance(piece, Drop) else piece).decode()


def check_wording(row: Row, question_id: str, question: Noul | Choice | Score) -> None:
    found = template(row.capability, question_id)
    where = f"wordings/{row.capability}.toml [{question_id}] {row.language}"
    assert found.wordings(row.language), f"{where}: no wording"
    if isinstance(question, Noul):
        assert found.wordings(row.language, negated=True), f"{where}: no negated wording"
    if isinstance(question, Score):
        lengths = {len(levels) for levels in found.levels(row.language)}
        assert not lengths or len(question.criteria) in lengths, (
            f"{where}: level lists of {lengths}, {len(question.criteria)} levels"
        )


def check_row(source: Source, row: Row) -> None:
    where = f"{source.name}/{row.upstream_id}/{row.capability}"
    assert row.capability in CAPABILITIES and row.capability in source.capabilities, f"{where}: undeclared capability"
    assert row.language in source.languages, f"{where}: undeclared language {row.language}"
    assert row.questions and set(row.questions) == set(row.answers), f"{where}: questions and answers differ"
    for question_id, question in row.questions.items():
        assert question.instructions is None, f"{where}: instructions are the builder's"
        check_question(question, where)
        check_answer(question, row.answers[question_id], where)
        check_wording(row, question_id, question)
    back = msgspec.json.decode(msgspec.json.encode(row), type=Row)
    assert back == msgspec.structs.replace(row, agreement=dict(row.agreement)), f"{where}: changed by a round trip"


@pytest.mark.parametrize("name", all_sources())
def test_a_source_is_declared_whole(name):
    source = all_sources()[name]
    assert (source.rows is None) != (source.prepare is None)
    assert source.files and source.capabilities and source.languages and source.home
    assert source.licence_class != "evaluation-only" or source.held_out


@pytest.mark.parametrize("name", all_sources())
def test_a_fixture_gives_the_expected_rows(name, tmp_path):
    given, expected = FIXTURES / f"{name}.in", FIXTURES / f"{name}.rows.jsonl"
    if not given.is_file() or not expected.is_file():
        pytest.skip("no fixture yet; test_every_source_has_a_fixture names it")
    unpack(given, tmp_path)
    found = list(pieces(all_sources()[name], tmp_path))
    assert [json.loads(as_line(piece)) for piece in found] == [
        json.loads(line) for line in expected.read_text("utf-8").splitlines()
    ]
    for piece in found:
        if isinstance(piece, Row):
            check_row(all_sources()[name], piece)
    assert any(isinstance(piece, Row) for piece in found), "no row"
    assert any(isinstance(piece, Drop) for piece in found), "nothing dropped: one record should be"


def test_every_source_has_a_fixture():
    owed = [name for name in all_sources() if not (FIXTURES / f"{name}.rows.jsonl").is_file()]
    assert set(owed) == WITHOUT_FIXTURE, f"sources without tests/sources/fixtures/NAME.in and .rows.jsonl: {owed}"


@pytest.mark.shared
@pytest.mark.parametrize("name", all_sources())
def test_real_files_give_valid_rows(name):
    source = all_sources()[name]
    folder = source.folder(SHARED)
    if not folder.is_dir():
        pytest.skip(f"{name}: its real files are not beside the checkout")
    rows = [piece for piece in pieces(source, folder, HEAD) if isinstance(piece, Row)]
    assert rows, "no rows from the real files"
    for row in rows:
        check_row(source, row)
    ids = [(row.upstream_id, row.capability) for row in rows]
    if len(set(ids)) < len(ids):
        assert all(row.mother for row in rows), "several rows of one id and capability without a mother"


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", all_sources())
def test_whole_real_files_give_every_declared_capability(name):
    source = all_sources()[name]
    folder = source.folder(SHARED)
    if not folder.is_dir():
        pytest.skip(f"{name}: its real files are not beside the checkout")
    found = {piece.capability for piece in pieces(source, folder) if isinstance(piece, Row)}
    assert found == set(source.capabilities)
