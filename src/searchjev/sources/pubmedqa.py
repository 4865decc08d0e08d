"""PubMedQA: research questions with the abstract less its conclusion, answered yes, no or maybe (Jin et al. 2019)."""

from collections.abc import Callable, Iterator
from typing import Any

from searchjev.schema import Answer, Choice, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

TEST = "test_ground_truth.json"
DECISIONS = ("yes", "no", "maybe")
LONGEST = 2_400


def questions_of(decision: str) -> tuple[dict[str, Question], dict[str, Answer]]:
    """Which answer the abstract supports and, where it decides, whether that is yes."""
    questions: dict[str, Question] = {"answer": Choice(dict.fromkeys(DECISIONS))}
    answers = {"answer": target(questions["answer"], decision)}
    if decision != "maybe":
        questions["yes"] = Noul()
        answers["yes"] = target(questions["yes"], decision == "yes")
    return questions, answers


def paper_row(paper_id: str, paper: dict[str, Any], is_test: Callable[[str], bool]) -> Row | Drop:
    """Row of one paper: its question and the parts of its abstract by name."""
    named = zip(paper["LABELS"], paper["CONTEXTS"], strict=False)
    parts = [{"part": name.lower(), "text": text} for name, text in named]
    decision = paper["final_decision"]
    if decision not in DECISIONS or not parts or len(parts) < len(paper["CONTEXTS"]):
        return Drop("no decision or no abstract")
    if sum(map(len, paper["CONTEXTS"])) > LONGEST:
        return Drop("abstract over 2,400 characters")
    questions, answers = questions_of(decision)
    return Row(
        upstream_id=paper_id,
        capability="reading_mc",
        language="en",
        state={"question": paper["QUESTION"].strip(), "abstract": parts},
        questions=questions,
        answers=answers,
        split="test" if is_test(paper_id) else "train",
        group_keys=(f"pubmed:{paper_id}",),
    )


def prepare(files: Files) -> Rows:
    """Rows of every paper of a file, which is one object; the published test papers stay so."""
    test = {paper_id for raw in files.read(TEST) for paper_id in raw.value}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        for paper_id, paper in raw.value.items():
            yield paper_row(paper_id, paper, test.__contains__)

    return to_rows


SOURCES = (
    Source(
        name="pubmedqa", home="https://github.com/pubmedqa/pubmedqa", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("reading_mc",), prepare=prepare,
        files=(File(name="ori_pqal.json", reader="json"), File(name=TEST, reader="json", joined=True)),
    ),
)  # fmt: skip
