"""Chinese dialogue rewriting: two turns, a third, and the third made complete (Su et al. 2019), in two copies.

Every published turn needs its rewrite, so some rows show a turn that is complete already.
"""

from collections.abc import Callable, Iterator

import msgspec

from searchjev.digest import draw
from searchjev.recipes.rewriting import Turn, dialogue_of, pieces_of, turn_rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

KEPT = 0.5
"""Share of the larger copy that is used: about 4,000 turns."""


def turn_of(raw: Raw) -> Turn | None:
    """Turn of a line of four texts (single or double tabs between them); None for any other line."""
    texts = [cell.strip() for cell in raw.value if cell.strip()]
    if len(texts) != 4:
        return None
    key = f"{raw.file.split('.')[0]}-{raw.line}"
    return Turn(key, key, "zh", raw.split, dialogue_of(texts[:2]), "", texts[2], texts[3])


def same_dialogue(row: Row | Drop, turn: Turn) -> Row | Drop:
    """Row tied to every other row of its dialogue, in whichever copy."""
    if isinstance(row, Drop):
        return row
    key = "\n".join(item["text"] for item in turn.dialogue)
    return msgspec.structs.replace(row, group_keys=(f"dialogue:{key}",))


def prepare_for(file: File, kept: float) -> Callable[[Files], Rows]:
    """Prepare function of one copy, which swaps pieces between its turns."""

    def prepare(files: Files) -> Rows:
        turns = [turn for turn in map(turn_of, files.read(file.name)) if turn]
        pieces = pieces_of((turn.said, turn.rewrite) for turn in turns)

        def to_rows(raw: Raw) -> Iterator[Row | Drop]:
            turn = turn_of(raw)
            if turn is None:
                yield Drop("not four texts")
            elif draw(turn.said, turn.rewrite, "kept") >= kept:
                yield Drop("thinned out")
            else:
                yield from (same_dialogue(row, turn) for row in turn_rows(turn, pieces))

        return to_rows

    return prepare


def source(name: str, repository: str, file: File, kept: float) -> Source:
    """Declare one copy."""
    return Source(
        name=name,
        home=f"https://github.com/{repository}",
        licence="unstated",
        licence_class="unknown",
        languages=("zh",),
        capabilities=("contextual_rewrite",),
        files=(file,),
        prepare=prepare_for(file, kept),
    )


SOURCES = (
    source(
        "rewrite_tencent",
        "chin-gyou/dialogue-utterance-rewriter",
        File(name="corpus.txt", reader="tsv_plain"),
        KEPT,
    ),
    source(
        "rewrite_split",
        "liu-nlper/dialogue-utterance-rewriter",
        File(name="dev.txt", reader="tsv_plain", split="val"),
        1.0,
    ),
)
