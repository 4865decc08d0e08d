"""Temporalia TQIC: queries of 2013 and the time that they are about (NTCIR-11)."""

from collections.abc import Iterator, Mapping

from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Raw, Row, Source

TIMES: Mapping[str, str] = {"Past": "past", "Recent": "recent", "Future": "future", "Atemporal": "any time"}


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one query; every cell stands in quotes, and other columns are a system's own."""
    query, gold = (raw[name].strip('"').strip() for name in ("QUERY", "CLASS"))
    if gold not in TIMES or not query or "``" in query:
        yield Drop("no class, or query cut at a quotation mark")
        return
    question = Choice(dict.fromkeys(TIMES.values()))
    yield Row(
        upstream_id=f"{raw.file}-{raw.line}",
        capability="source_time",
        language="en",
        state={"query": query, "asked_in": "spring 2013"},
        questions={"about": question},
        answers={"about": target(question, TIMES[gold])},
        group_keys=(f"text:{query.lower()}",),
    )


SOURCES = (
    Source(
        name="temporalia_tqic", home="https://github.com/filannim/Temporalia-TQIC",
        licence="Apache-2.0 (code), NTCIR data for research", licence_class="research", languages=("en",),
        capabilities=("source_time",), rows=to_rows,
        files=(File(name="full_data_gold.csv", reader="tsv"),),
        note="no day is given; by what counts as recent and as future, the queries were asked in spring 2013",
    ),
)  # fmt: skip
