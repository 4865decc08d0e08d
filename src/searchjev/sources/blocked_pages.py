"""OONI blocking fingerprints: texts of pages that stand in for blocked ones, and of pages mistaken for them."""

import html
import re
from collections.abc import Iterator

from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

SCOPES = {"nat": True, "isp": True, "prod": True, "inst": True, "fp": False}
"""Blocked by a country, a provider, a filter product or an institution; or, by review, not blocked at all."""

_TAG = re.compile(r"<[^>]*>?|&nbsp;?")
_PATH = re.compile(r"https?:|[{}=;]|\w/\w+[/.]|\w\.\w{2,}\.\w{2,}|\S{30}")
_ENGLISH = re.compile(
    r"\b(?:the|this|is|are|was|you|your|has|been|by|not|to|for|of|with|page|site|website|access|error|server|domain|"
    r"welcome|blocked)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"block|restrict|prohibit|filter|forbid|deni|illegal|violat|disabled|ceased|ordered|harmful|policy", re.IGNORECASE
)


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one text; those of links and markup, other languages or vague wording are dropped."""
    text = " ".join(html.unescape(_TAG.sub(" ", raw["pattern"])).split())
    if raw["scope"] not in SCOPES or raw["location_found"] != "body" or raw["pattern_type"] != "contains":
        yield Drop("not the text of a page, or of unclear scope")
    elif not text.isascii() or len(re.findall(r"[A-Za-z]{2,}", text)) < 4 or _PATH.search(text):
        yield Drop("no readable English text")
    elif len(_ENGLISH.findall(text)) < 2:
        yield Drop("no readable English text")
    elif SCOPES[raw["scope"]] and not _TELLING.search(text):
        yield Drop("block page that doesn't say so")
    else:
        question = Noul()
        yield Row(
            upstream_id=raw["name"],
            capability="failure_recovery",
            language="en",
            state={"page": {"text": text}},
            questions={"blocked": question},
            answers={"blocked": target(question, SCOPES[raw["scope"]])},
            group_keys=(f"text:{text}",),
        )


SOURCES = (
    Source(
        name="blockpage_fingerprints",
        home="https://github.com/ooni/blocking-fingerprints",
        licence="unstated",
        licence_class="unknown",
        languages=("en",),
        capabilities=("failure_recovery",),
        files=(File(name="fingerprints_http.csv", reader="csv"),),
        rows=to_rows,
    ),
)
