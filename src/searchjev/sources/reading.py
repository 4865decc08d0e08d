"""Questions about a given text: C3 (choices), BoolQ (yes or no), MultiRC (answers to judge), CMRC 2019 (gaps)."""

import re
from collections.abc import Iterator

from searchjev.digest import digest, draw, shuffled
from searchjev.recipes.choices import choice_of
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

ROLE = re.compile(r"^(\S{1,6}?)[：:]\s*")
GAP = re.compile(r"\[BLANK(\d+)\]")
SENTENCE = re.compile(r"[^。！？!?]*[。！？!?”」\"]*")
LONGEST = 1_600
LONGEST_DOCUMENT = 2_200
SHARE = 0.5
AROUND = 110
GAPS_A_STORY = 3
GAP_MARK = "＿＿＿＿"


def turn_of(line: str) -> dict[str, str] | str:
    """Turn with its speaker where the line names one."""
    found = ROLE.match(line)
    return {"role": found[1], "text": line[found.end() :]} if found else line


def c3_rows(raw: Raw) -> Iterator[Row | Drop]:
    """One row a question; dialogues come as turns, other texts whole."""
    text, questions, item = raw.value
    if not questions:
        yield Drop("no question")
    for n, asked in enumerate(questions):
        options = [option.strip() for option in asked["choice"]]
        answer = asked["answer"].strip()
        if len(set(options)) < len(options) or answer not in options:
            yield Drop("repeated options or no answer among them")
            continue
        row_id = f"{raw.file.removesuffix('.json')}-{item}-{n}"
        question, gold = choice_of(options, options.index(answer), "c3", row_id)
        passage = {"dialogue": [turn_of(line) for line in text]} if len(text) > 1 else {"passage": "".join(text)}
        yield Row(
            upstream_id=row_id,
            capability="reading_mc",
            language="zh",
            state={"question": asked["question"].strip(), **passage},
            questions={"answer": question},
            answers={"answer": gold},
            split=raw.split,
            mother=item,
            group_keys=(f"c3:{item}",),
        )


def boolq_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether the answer is yes, by the passage."""
    found, label = raw.get("evidences") or [], raw.get("classification")
    if label not in ("True", "False") or not found:
        yield Drop("no label or no passage")
    elif len(found[0]["text"]) > LONGEST:
        yield Drop("passage over 1,600 characters")
    else:
        question, query = Noul(), raw["query"].strip()
        yield Row(
            upstream_id=f"{raw['annotation_id']}",
            capability="reading_mc",
            language="en",
            state={"question": query, "passages": [{"text": found[0]["text"].strip()}]},
            questions={"yes": question},
            answers={"yes": target(question, label == "True")},
            group_keys=(f"text:{query}", f"boolq:{raw['docids']}"),
        )


def multirc_rows(found: Files) -> Rows:
    """Ask whether a proposed answer is right, by the sentences of its document; a digest keeps half of the answers."""
    sentences = {doc["docid"]: doc["text"].split("\n") for doc in found.read("docs.jsonl")}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        query, _, answer = raw["query"].partition("||")
        doc = raw["annotation_id"].rsplit(":", 2)[0]
        lines = [line.strip() for line in sentences.get(doc, []) if line.strip()]
        if raw["classification"] not in ("True", "False") or not answer.strip() or not lines:
            yield Drop("no label, no answer or no document")
            return
        if sum(map(len, lines)) > LONGEST_DOCUMENT:
            yield Drop("document over 2,200 characters")
            return
        if draw("multirc", raw["annotation_id"]) >= SHARE:
            yield Drop("not drawn")
            return
        question = Noul()
        yield Row(
            upstream_id=raw["annotation_id"],
            capability="reading_mc",
            language="en",
            state={"question": query.strip(), "answer": answer.strip(), "passages": lines},
            questions={"correct": question},
            answers={"correct": target(question, raw["classification"] == "True")},
            mother=raw["annotation_id"].rpartition(":")[0],
            group_keys=(f"multirc:{doc}",),
        )

    return rows


def gap_context(story: str, number: int, filled: dict[int, str]) -> str:
    """Whole sentences around one gap, the other gaps filled with their own sentences."""
    text = GAP.sub(lambda gap: GAP_MARK if int(gap[1]) == number else filled[int(gap[1])], story)
    place, start, kept = text.index(GAP_MARK), 0, []
    for sentence in SENTENCE.findall(text):
        end = start + len(sentence)
        if end > place - AROUND and start < place + AROUND:
            kept.append(sentence)
        start = end
    return "".join(kept).strip()


def story_rows(story: dict[str, object]) -> Iterator[Row | Drop]:
    """Rows of a few gaps of one story: which of five sentences belongs there."""
    context, choices, answers = str(story["context"]), story.get("choices"), story.get("answers")
    numbers = [int(n) for n in GAP.findall(context)]
    if not isinstance(choices, list) or not isinstance(answers, list) or len(answers) != len(numbers):
        yield Drop("no answers for the gaps")
        return
    filled = {number: str(choices[answers[i]]) for i, number in enumerate(numbers)}
    story_id = str(story.get("context_id") or f"trial-{digest(context):016x}")
    for number in shuffled(sorted(set(numbers)), "cmrc2019", story_id)[:GAPS_A_STORY]:
        right, row_id = filled[number], f"{story_id}-{number}"
        wrong = [text for text in dict.fromkeys(map(str, choices)) if text != right]
        question, gold = choice_of([right, *shuffled(wrong, row_id)[:4]], 0, "cmrc2019", row_id)
        yield Row(
            upstream_id=row_id,
            capability="reading_mc",
            language="zh",
            state={"passage": gap_context(context, number, filled)},
            questions={"blank": question},
            answers={"blank": gold},
            mother=story_id,
            group_keys=(f"cmrc2019:{story_id}",),
        )


def cmrc2019_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every story of a file, which is one object."""
    for story in raw["data"]:
        yield from story_rows(story)


SOURCES = (
    Source(
        name="c3", home="https://github.com/nlpdata/c3", licence="non-commercial research", licence_class="research",
        languages=("zh",), capabilities=("reading_mc",), rows=c3_rows,
        files=(
            File(name="c3-d-train.json", reader="json", split="train"),
            File(name="c3-d-dev.json", reader="json"),
            File(name="c3-m-dev.json", reader="json"),
        ),
    ),
    Source(
        name="boolq", home="https://github.com/google-research-datasets/boolean-questions", licence="CC-BY-SA-3.0",
        licence_class="open", languages=("en",), capabilities=("reading_mc",), rows=boolq_rows,
        files=(File(name="dev_data.jsonl"), File(name="test_data.jsonl")),
        note="ERASER's split of the train and dev questions; grouped and split anew by passage",
    ),
    Source(
        name="multirc", home="https://cogcomp.seas.upenn.edu/multirc", licence="research use",
        licence_class="research", languages=("en",), capabilities=("reading_mc",), prepare=multirc_rows,
        files=(File(name="docs.jsonl", joined=True), File(name="val.jsonl")),
    ),
    Source(
        name="cmrc2019", home="https://github.com/ymcui/cmrc2019", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("zh",), capabilities=("reading_mc",), rows=cmrc2019_rows,
        files=(
            File(name="cmrc2019_trial.json", reader="json"),
            File(name="cmrc2019_dev.json", reader="json"),
            File(name="cmrc2019_qualify.json", reader="json"),
        ),
    ),
)  # fmt: skip
