"""RAGTruth: replies written from passages, an article or a record, with the pieces that lack support marked by people.

Pieces that are marked as true though not in the source, or as drawn from an empty field, give no row of their own.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from searchjev.recipes.unchecked import UNCHECKED, guarded_files
from searchjev.schema import Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

LONGEST = 9_000
"""Characters of source and reply together, about 2,000 tokens."""

KINDS = {"Conflict": "contradicted", "Baseless": "not in the source"}
FAULTS = ("none", "contradicted", "not in the source")
LONGEST_REFUSAL = 120
REFUSAL = "unable to answer based on given passages"
_PASSAGE = re.compile(r"\s*passage \d+:", re.IGNORECASE)


def given(info: dict[str, Any]) -> dict[str, Any] | None:
    """What the reply was written from, as it stands in a state; None for an unknown task."""
    source = info.get("source_info")
    if info.get("task_type") == "QA" and isinstance(source, dict):
        passages = [text.strip() for text in _PASSAGE.split(str(source.get("passages") or "")) if text.strip()]
        return {"question": str(source.get("question") or "").strip(), "passages": passages}
    if info.get("task_type") == "Summary" and isinstance(source, str):
        return {"request": "Summarise the article.", "article": source.strip()}
    if info.get("task_type") == "Data2txt" and isinstance(source, dict):
        return {"request": "Write an overview of this business from the record alone.", "record": source}
    return None


def fault_of(labels: list[dict[str, Any]]) -> str | None:
    """Which fault the marked pieces have; "several" where they differ, None where none is a plain fault."""
    plain = [label for label in labels if not label.get("implicit_true") and not label.get("due_to_null")]
    kinds = {kind for label in plain for word, kind in KINDS.items() if word in str(label.get("label_type"))}
    if not kinds:
        return None if labels else "none"
    return kinds.pop() if len(kinds) == 1 else "several"


def reply_row(raw: Raw, state: dict[str, Any], fault: str) -> Row:
    """Ask whether everything in a reply rests on its source, and what is wrong if not."""
    questions: dict[str, Question] = {"grounded": Noul()}
    answers = {"grounded": target(questions["grounded"], fault == "none")}
    if fault != "several":
        questions["fault"] = Choice(dict.fromkeys(FAULTS))
        answers["fault"] = target(questions["fault"], fault)
    return Row(
        upstream_id=str(raw["id"]), capability="evidence", language="en",
        state={**state, "reply": raw["response"].strip()}, questions=questions, answers=answers,
        split=raw.split, group_keys=(f"ragtruth:{raw['source_id']}", *text_key(state)),
    )  # fmt: skip


def text_key(state: dict[str, Any]) -> tuple[str, ...]:
    """Group key of a state's question, where it has one."""
    return (f"text:{state['question']}",) if state.get("question") else ()


def refused(raw: Raw) -> bool | None:
    """Whether the passages answer, by the judgement of a reply that says they don't; None for other replies."""
    reply = str(raw.get("response") or "").strip().lower()
    if REFUSAL not in reply or len(reply) > LONGEST_REFUSAL:
        return None
    return bool(raw.get("quality") == "incorrect_refusal")


def refusal_row(raw: Raw, state: dict[str, Any], answers: bool) -> Row:
    """Ask whether the passages answer the question."""
    question = Noul()
    return Row(
        upstream_id=str(raw["source_id"]), capability="evidence_sufficiency", language="en",
        state={"question": state["question"], "passages": state["passages"]}, questions={"passages_answer": question},
        answers={"passages_answer": target(question, answers)}, tier="derived", origin="derived", split=raw.split,
        group_keys=(f"ragtruth:{raw['source_id']}", *text_key(state)),
    )  # fmt: skip


def prepare(files: Files) -> Rows:
    """Rows of replies; a reply that refuses tells of its passages, once a source where all such replies agree."""
    states = {str(raw.get("source_id")): given(raw.value) for raw in files.read("source_info.jsonl")}
    refusals: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for raw in files.read("response.jsonl"):
        answers = refused(raw)
        if answers is not None:
            refusals[str(raw.get("source_id"))].append((str(raw.get("id")), answers))

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        state, reply = states.get(str(raw.get("source_id"))), str(raw.get("response") or "")
        if not state or not reply.strip() or len(str(state)) + len(reply) > LONGEST:
            yield Drop("no source or reply, or over 9,000 characters")
        elif (answers := refused(raw)) is not None:
            found = refusals[str(raw["source_id"])]
            first = "passages" in state and found[0][0] == str(raw.get("id")) and len({said for _, said in found}) == 1
            yield refusal_row(raw, state, answers) if first else Drop("refusal told of already, or judged both ways")
        elif raw.get("quality") != "good":
            yield Drop("truncated or refused")
        elif (fault := fault_of(raw.get("labels") or [])) is None:
            yield Drop("marked pieces are true, or drawn from an empty field")
        else:
            yield reply_row(raw, state, fault)

    return rows


SOURCES = (
    Source(
        name="ragtruth", home="https://github.com/ParticleMedia/RAGTruth", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("evidence", "evidence_sufficiency"), held_out="test",
        prepare=guarded_files(prepare),
        files=(File(name="response.jsonl"), File(name="source_info.jsonl", joined=True)),
        note=UNCHECKED,
    ),
)  # fmt: skip
