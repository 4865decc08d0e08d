"""Answer now or ask back, with the text at hand: Abg-CoQA (a story), INSCIT (passages of Wikipedia that were found)."""

from collections.abc import Iterator, Mapping
from typing import Any

from searchjev.digest import draw
from searchjev.recipes.rewriting import dialogue_of
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source, SplitName

AMBIGUOUS: Mapping[str, bool] = {"ambiguous": True, "non_ambiguous": False}
CLEAR_SHARE = 0.17
"""Share of Abg-CoQA's clear questions that are kept: about as many as there are ambiguous ones."""

LONGEST = 2_400
ASK, ANSWER, LACK = "clarification", "directAnswer", "noAnswerButRelevantInfo"


def noul_row(
    capability: str, question_id: str, state: dict[str, Any], gold: float, row_id: str, split: SplitName | None,
    mother: str, *keys: str,
) -> Row:  # fmt: skip
    """Row of one yes-or-no question, its gold a share of the annotators."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability=capability,
        language="en",
        state=state,
        questions={question_id: question},
        answers={question_id: target(question, gold)},
        split=split,
        mother=mother,
        group_keys=keys,
    )


def abg_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every question of a file, which is one object."""
    for item in raw["data"]:
        yield abg_row(item, raw.split)


def abg_row(item: dict[str, Any], split: SplitName | None) -> Row | Drop:
    """Should the assistant ask back? A question about a story, after the turns before it."""
    is_ambiguous, asked = AMBIGUOUS.get(item["ambiguity"]), item["target_turn"]["question"].strip()
    said = [text.strip() for turn in item["history_turns"] for text in (turn["question"], turn["answer"])]
    if is_ambiguous is None or not asked or not all(said):
        return Drop("no label, or a turn without text")
    if len(item["story"]) > LONGEST:
        return Drop("story over 2,400 characters")
    if not is_ambiguous and draw("abg_coqa", item["id"]) >= CLEAR_SHARE:
        return Drop("not drawn")
    story = item["id"].split("|")[0]
    passage = " ".join(item["story"].split())
    state = {"question": asked, **({"dialogue": dialogue_of(said)} if said else {}), "passage": passage}
    ties = (f"coqa:{story}", f"text:{passage[:200]}")
    return noul_row("clarify_decision", "ask_back", state, float(is_ambiguous), item["id"], split, story, *ties)


def passages_of(labels: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Passages that any of the annotators used, each once."""
    found = {piece["passage_id"]: piece for label in labels for piece in label["evidence"]}
    return [
        {"title": " - ".join(piece["passage_titles"]), "text": " ".join(piece["passage_text"].split())}
        for piece in found.values()
    ]


def inscit_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every turn of a file, which is one object of dialogues."""
    for key, dialogue in raw.value.items():
        for number, turn in enumerate(dialogue["turns"]):
            yield from turn_rows(turn, key, number, raw.split, dialogue["seedArticle"]["title"])


def turn_rows(turn: dict[str, Any], key: str, number: int, split: SplitName | None, page: str) -> Iterator[Row | Drop]:
    """Whether to ask back, and whether what was found answers, each as the share of the annotators."""
    kinds, passages = [label["responseType"] for label in turn["labels"]], passages_of(turn["labels"])
    *said, asked = [text.strip() for text in turn["context"]]
    if not passages or not set(kinds) <= {ASK, ANSWER, LACK}:
        yield Drop("nothing found")
        return
    if sum(len(piece["text"]) for piece in passages) + sum(map(len, said)) > LONGEST:
        yield Drop("passages and dialogue over 2,400 characters")
        return
    state = {"question": asked, **({"dialogue": dialogue_of(said)} if said else {}), "passages": passages}
    row_id, ties = f"{key}-{number}", (f"inscit:{key}", f"page:{page}")
    rows = [("clarify_decision", "ask_back", kinds.count(ASK))] if LACK not in kinds else []
    rows += [("evidence_sufficiency", "passages_answer", kinds.count(ANSWER))] if ASK not in kinds else []
    share = {"ask_back": 0.3 if ASK not in kinds else 1.0, "passages_answer": 0.25 if LACK not in kinds else 1.0}
    drawn = [row for row in rows if draw("inscit", row_id, row[1]) < share[row[1]]]
    for capability, question_id, count in drawn:
        yield noul_row(capability, question_id, state, count / len(kinds), row_id, split, key, *ties)
    if not drawn:
        yield Drop("not drawn, or of two minds whether to ask or give up")


SOURCES = (
    Source(
        name="abg_coqa", home="https://github.com/MeiqiGuo/AKBC2021-Abg-CoQA", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("clarify_decision",), rows=abg_rows,
        files=(
            File(name="coqa_abg_val.json", reader="json", split="val"),
            File(name="coqa_abg_test.json", reader="json", split="test"),
        ),
    ),
    Source(
        name="inscit", home="https://github.com/ellenmellon/INSCIT", licence="not stated", licence_class="unknown",
        languages=("en",), capabilities=("clarify_decision", "evidence_sufficiency"), rows=inscit_rows,
        files=(File(name="dev.json", reader="json"),),
    ),
)  # fmt: skip
