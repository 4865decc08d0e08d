"""Records of another shape than published end as counted drops, and only those."""

import pytest

from searchjev.errors import DataError
from searchjev.recipes.unchecked import guarded, guarded_files
from searchjev.source import Drop, Files, Raw

RECORD = Raw({"a": 1}, "file.jsonl", 1)


def reads(name):
    def rows(raw):
        yield Drop(f"read {raw[name]}")

    return rows


def test_a_record_of_another_shape_is_one_drop():
    assert [piece.reason for piece in guarded(reads("a"))(RECORD)] == ["read 1"]
    assert [piece.reason for piece in guarded(reads("b"))(RECORD)] == ["record of another shape than published"]


def test_what_came_before_the_fault_is_dropped_with_it():
    def rows(raw):
        yield Drop("first")
        yield Drop(raw["b"])

    assert [piece.reason for piece in guarded(rows)(RECORD)] == ["record of another shape than published"]


def test_a_joined_file_of_another_shape_drops_every_record():
    def prepare(files):
        raise KeyError("qid")

    found = guarded_files(prepare)(Files(lambda file: iter(()), ()))(RECORD)
    assert [piece.reason for piece in found] == ["joined file of another shape than published"]


def test_our_own_faults_still_end_the_build():
    def rows(raw):
        raise DataError("answer outside the criteria")
        yield

    with pytest.raises(DataError):
        list(guarded(rows)(RECORD))
