"""AVeriTeC: claims from the news with the questions that a checker asked and the answers found (Schlichtkrull 2023)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from searchjev.recipes.claims import claim_row
from searchjev.source import Drop, File, Raw, Row, Source

VERDICTS: Mapping[str, str] = {
    "Supported": "supported", "Refuted": "refuted", "Not Enough Evidence": "not enough",
}  # fmt: skip
LONGEST = 3_000
_DAY = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4})")


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Claim with every question and answer; the checker's justification and article stay out."""
    gold, claim = VERDICTS.get(raw["label"]), " ".join(raw["claim"].split())
    evidence = [found for item in raw["questions"] if (found := asked_and_found(item))]
    if gold is None:
        yield Drop("evidence is conflicting or picked")
    elif not claim or not evidence:
        yield Drop("no claim or answer")
    elif sum(map(len, evidence)) > LONGEST:
        yield Drop("evidence over 3,000 characters")
    else:
        yield claim_row(claim, evidence, gold, f"{raw.file}-{raw.line}", raw.split, about=origin(raw))


def asked_and_found(item: Mapping[str, Any]) -> str:
    """Question with its answers, and what was quoted for a yes or no; empty where nothing was answered."""
    answers = []
    for found in item["answers"]:
        parts = (found.get("answer"), found.get("boolean_explanation"))
        answers.append(". ".join(" ".join(part.split()).rstrip(".") for part in parts if part and part.strip()))
    told = " / ".join(answer for answer in answers if answer)
    return f"{' '.join(item['question'].split())} – {told}" if told else ""


def origin(raw: Raw) -> dict[str, str]:
    """Who said it and on which day, as far as known."""
    day = _DAY.fullmatch(raw.get("claim_date") or "")
    who = (raw.get("speaker") or "").strip()
    said = {"said_on": f"{day[3]}-{int(day[2]):02}-{int(day[1]):02}"} if day else {}
    return {**({"said_by": who} if who else {}), **said}


SOURCES = (
    Source(
        name="averitec", home="https://github.com/MichSchli/AVeriTeC", licence="CC-BY-NC-4.0",
        licence_class="research", languages=("en",), capabilities=("evidence",), rows=to_rows,
        files=(File(name="dev.json", reader="json", split="val"),),
        note="conflicting or picked evidence has no place among the verdicts and is dropped",
    ),
)  # fmt: skip
