"""CANARD: questions of a conversation about a Wikipedia page, rewritten to stand alone (Elgohary et al. 2019)."""

from collections import defaultdict
from collections.abc import Iterator

from searchjev.recipes.rewriting import Turn, dialogue_of, pieces_of, turn_rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

DEV = File(name="dev.json", reader="json")
TEST = File(name="test_tab.txt", reader="tsv_plain", split="test")


def turn_of(raw: Raw) -> Turn | None:
    """Turn of either file's record, without the rewrites of other turns; None where the record is too short."""
    if isinstance(raw.value, list):
        *history, said, rewrite = [cell.strip() for cell in raw.value] if len(raw.value) >= 4 else ["", "", "", ""]
        mother = key = f"test-{raw.line}"
    else:
        history, said, rewrite = raw["History"], raw["Question"].strip(), raw["Rewrite"].strip()
        mother, key = raw["QuAC_dialog_id"], f"{raw['QuAC_dialog_id']}-{raw['Question_no']}"
    if len(history) < 2 or not said:
        return None
    topic = ", ".join(history[:2])
    if isinstance(raw.value, list):
        mother = f"test-{topic}"
    return Turn(key, mother, "en", raw.split, dialogue_of(history[2:]), topic, said, rewrite)


def prepare(files: Files) -> Rows:
    """Rows whose broken rewrites come from other turns of the dialogue."""
    turns = [turn for file in (DEV, TEST) for turn in map(turn_of, files.read(file.name)) if turn]
    pieces = pieces_of((turn.said, turn.rewrite) for turn in turns)
    rewrites: dict[str, list[str]] = defaultdict(list)
    for turn in turns:
        rewrites[turn.mother].append(turn.rewrite)

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        turn = turn_of(raw)
        if turn is None:
            yield Drop("no turn after the two titles")
        else:
            yield from turn_rows(turn._replace(others=tuple(rewrites[turn.mother])), pieces)

    return to_rows


SOURCES = (
    Source(
        name="canard",
        home="https://sites.google.com/view/qanta/projects/canard",
        licence="CC-BY-SA-4.0",
        licence_class="open",
        languages=("en",),
        capabilities=("contextual_rewrite",),
        files=(DEV, TEST),
        prepare=prepare,
        note="the published train file is not used: its dev file trains",
    ),
)
