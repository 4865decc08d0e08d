"""QReCC: questions of web-search conversations, rewritten to stand alone (Anantha et al. 2021).

Covers conversations begun from Natural Questions; those of QuAC and TREC CAsT are rewritten in canard and trec_cast.
"""

from collections import defaultdict
from collections.abc import Iterator

from searchjev.recipes.rewriting import Turn, dialogue_of, pieces_of, turn_rows
from searchjev.recipes.unchecked import UNCHECKED, guarded_files
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FILES = (
    File(name="qrecc_train.json", reader="json", split="train"),
    File(name="qrecc_test.json", reader="json", split="test"),
)
OWN = "nq"


def turn_of(raw: Raw) -> Turn:
    """Turn of a record, without the rewrites of other turns; empty fields where the record lacks them."""
    mother = f"{raw.file.removesuffix('.json').rsplit('_')[-1]}-{raw.get('Conversation_no')}"
    context = [text.strip() for text in raw.get("Context") or [] if isinstance(text, str)]
    said, rewrite = (str(raw.get(name) or "").strip() for name in ("Question", "Rewrite"))
    return Turn(f"{mother}-{raw.get('Turn_no')}", mother, "en", raw.split, dialogue_of(context), "", said, rewrite)


def prepare(files: Files) -> Rows:
    """Rows whose broken rewrites come from other turns of the conversation."""
    turns = [turn_of(raw) for file in FILES for raw in files.read(file.name) if raw.get("Conversation_source") == OWN]
    pieces = pieces_of((turn.said, turn.rewrite) for turn in turns)
    rewrites: dict[str, list[str]] = defaultdict(list)
    for turn in turns:
        rewrites[turn.mother].append(turn.rewrite)

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        turn = turn_of(raw)
        if raw.get("Conversation_source") != OWN:
            yield Drop("conversation of QuAC or TREC CAsT")
        else:
            yield from turn_rows(turn._replace(others=tuple(rewrites[turn.mother])), pieces)

    return to_rows


SOURCES = (
    Source(
        name="qrecc",
        home="https://github.com/apple/ml-qrecc",
        licence="CC-BY-SA-3.0",
        licence_class="open",
        languages=("en",),
        capabilities=("contextual_rewrite",),
        files=FILES,
        prepare=guarded_files(prepare),
        note=UNCHECKED,
    ),
)
