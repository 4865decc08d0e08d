"""TREC CAsT 2019 to 2022: turns of conversational search with rewrites by hand; rewrites by models are left out."""

from collections.abc import Iterator
from typing import Any

from searchjev.recipes.rewriting import Turn, pieces_of, turn_rows
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

RESOLVED = "2019_evaluation_evaluation_topics_annotated_resolved_v1.0.tsv"
TOPICS = tuple(
    File(name=name, reader="json", split="test")
    for name in (
        "2019_evaluation_evaluation_topics_v1.0.json",
        "2020_2020_manual_evaluation_topics_v1.0.json",
        "2021_2021_manual_evaluation_topics_v1.0.json",
        "2022_2022_evaluation_topics_flattened_duplicated_v1.0.json",
    )
)
WITH_ANSWERS = 1
"""Turns before the present one that are shown with their answer; the answers are whole passages."""


def said_in(turn: Any) -> str:  # noqa: ANN401 - published record
    """What the user said, under either year's name."""
    return str(turn.get("raw_utterance") or turn.get("utterance") or "").strip()


def dialogue_before(turns: list[Any], place: int) -> list[dict[str, str]]:
    """Turns before a place: all that the user said, and the latest answer where the year has answers."""
    dialogue = []
    for i, turn in enumerate(turns[:place]):
        dialogue.append({"role": "user", "text": said_in(turn)})
        answer = str(turn.get("passage") or turn.get("response") or "").strip()
        if answer and i >= place - WITH_ANSWERS:
            dialogue.append({"role": "assistant", "text": answer})
    return dialogue


def turns_of(raw: Raw, resolved: dict[str, str]) -> list[Turn]:
    """Turns of a topic after its first that have a rewrite by hand."""
    year, topic, turns = raw.file[:4], raw["number"], raw["turn"]
    rewrites = [
        (turn.get("manual_rewritten_utterance") or resolved.get(f"{topic}_{turn['number']}", "")).strip()
        for turn in turns
    ]
    mother = f"{year}-{topic}"
    return [
        Turn(
            key=f"{mother}-{turn['number']}",
            mother=mother,
            language="en",
            split=raw.split,
            dialogue=dialogue_before(turns, i),
            topic="",
            said=said_in(turn),
            rewrite=rewrites[i],
            others=tuple(text for text in rewrites if text),
        )
        for i, turn in enumerate(turns)
        if i and rewrites[i]
    ]


def prepare(files: Files) -> Rows:
    """Rows of every turn once: the paths of a 2022 topic repeat the turns that they share."""
    resolved = {raw.value[0]: raw.value[1] for raw in files.read(RESOLVED) if len(raw.value) == 2}
    first: dict[str, int] = {}
    pairs: list[tuple[str, str]] = []
    for raw in (raw for file in TOPICS for raw in files.read(file.name)):
        for turn in turns_of(raw, resolved):
            first.setdefault(turn.key, raw.line)
            pairs.append((turn.said, turn.rewrite))
    pieces = pieces_of(iter(pairs))

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        turns = turns_of(raw, resolved)
        if not turns:
            yield Drop("no turn with a rewrite by hand")
        for turn in turns:
            if first[turn.key] == raw.line:
                yield from turn_rows(turn, pieces)
            else:
                yield Drop("turn shared with an earlier path of the topic")

    return to_rows


SOURCES = (
    Source(
        name="trec_cast",
        home="https://github.com/daltonj/treccastweb",
        licence="MIT",
        licence_class="open",
        languages=("en",),
        capabilities=("contextual_rewrite",),
        files=(*TOPICS, File(name=RESOLVED, reader="tsv_plain", joined=True)),
        prepare=prepare,
        held_out="test",
    ),
)
