"""Sources written from a published format, without their files at hand: records of another shape are dropped."""

from collections.abc import Callable, Iterator

from searchjev.source import Drop, Files, Raw, Row, Rows

UNCHECKED = "format not checked against real files"
_OTHER_SHAPE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def guarded(rows: Rows) -> Rows:
    """Rows function that drops a record of another shape instead of ending the build."""

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        try:
            found = list(rows(raw))
        except _OTHER_SHAPE:
            found = [Drop("record of another shape than published")]
        yield from found

    return to_rows


def guarded_files(prepare: Callable[[Files], Rows]) -> Callable[[Files], Rows]:
    """Prepare function that, where the joined files have another shape, drops every record."""

    def to_rows(files: Files) -> Rows:
        try:
            return guarded(prepare(files))
        except _OTHER_SHAPE:
            return lambda raw: iter([Drop("joined file of another shape than published")])

    return to_rows
