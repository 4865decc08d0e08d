"""OR-ShARC: questions about official rules that are answered, or met with a follow-up question (Gao et al. 2021)."""

from collections.abc import Iterator
from typing import Any

from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

SNIPPETS = "id2snippet.json"


def prepare(files: Files) -> Rows:
    """Rows that show the question, the user's situation and the rule, and ask whether to ask back."""
    snippets = {key: text for raw in files.read(SNIPPETS) for key, text in raw.value.items()}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        rule = snippets.get(str(raw["gold_snippet_id"]), "").strip()
        answer = raw["answer"].strip()
        if not rule or not answer:
            yield Drop("no rule or answer")
        else:
            yield row_of(raw, rule, answer.lower() not in ("yes", "no"))

    return to_rows


def row_of(raw: Raw, rule: str, ask: bool) -> Row:
    """Row of one utterance; empty parts of the record are left out."""
    state: dict[str, Any] = {"question": raw["question"].strip()}
    if raw["scenario"].strip():
        state["situation"] = raw["scenario"].strip()
    if raw["history"]:
        state["dialogue"] = [
            {"role": role, "text": turn[name].strip()}
            for turn in raw["history"]
            for role, name in (("assistant", "follow_up_question"), ("user", "follow_up_answer"))
        ]
    state["evidence"] = [{"text": rule}]
    return Row(
        upstream_id=raw["utterance_id"],
        capability="clarify_decision",
        language="en",
        state=state,
        questions={"ask": Noul()},
        answers={"ask": target(Noul(), ask)},
        split=raw.split,
        mother=raw["tree_id"],
        group_keys=(f"document:{rule}",),
    )


SOURCES = (
    Source(
        name="or_sharc",
        home="https://github.com/Yifan-Gao/open_retrieval_conversational_machine_reading",
        licence="CC-BY-SA-3.0",
        licence_class="open",
        languages=("en",),
        capabilities=("clarify_decision",),
        files=(
            File(name="open_retrieval_sharc_dev.json"),
            File(name="open_retrieval_sharc_test.json", split="test"),
            File(name=SNIPPETS, reader="json", joined=True),
        ),
        prepare=prepare,
        note="the published train file is not used: its dev file trains",
    ),
)
