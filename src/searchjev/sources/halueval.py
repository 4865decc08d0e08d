"""HaluEval: judged replies of a chat model, and right answers beside wrong ones written for them (Li et al. 2023).

Written wrong answers are longer and smoother than right ones; a pair is used only where both are worded alike and what
is known tells them apart. Summaries are left out: hardly a pair of them is worded alike.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

import msgspec

from searchjev.digest import draw
from searchjev.recipes.replies import LONGEST, judgement, preference
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

ALIKE = 0.5
NEAR = (0.75, 1.34)
"""Length of the wrong answer by that of the right one."""

LONGER_SHARE, SOUND_SHARE = 0.65, 0.3
LONGEST_ANSWER = 6
_WORD = re.compile(r"[^\W_]{3,}")
_STOP = re.compile(r"(?<=\w\w[.!?])(?=[A-Z\"])")
_TRIPLE = re.compile(r"(?<=[a-z0-9)])(?<!Mc)(?<!Mac)(?<!De)(?<!Di)(?<!La)(?<!Le)(?<! i)(?=[A-Z])")
_MAKES = re.compile(
    r"(?:please )?(?:generate|create|write|edit|rewrite|compose|design|construct|come up|invent|suggest|make|"
    r"paraphrase|brainstorm|imagine|draft|craft|rephrase|tell|develop|propose|build|produce|rearrange|re-?word|add)\b",
    re.IGNORECASE,
)
_SHY = re.compile(r"\b(?:as an ai|i(?:'m| am) sorry|i apologi[sz]e|unfortunately, (?:i|as))\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|had|did|does)\b")


def words(text: str) -> set[str]:
    """Words of three letters and more."""
    return set(_WORD.findall(text.lower()))


def told_apart(known: str, right: str, wrong: str) -> bool:
    """Whether what is known holds words of the right answer that the wrong one lacks, and not the other way round."""
    ours, theirs, told = words(right) - words(wrong), words(wrong) - words(right), words(known)
    return bool(ours & told) and bool(theirs) and not theirs & told


def is_near(right: str, wrong: str) -> bool:
    """Whether both have about the same length."""
    return NEAR[0] <= len(wrong) / max(1, len(right)) <= NEAR[1]


def knowing(row: Row, known: str) -> Row:
    """Row whose state begins with what is known."""
    state = row.state if isinstance(row.state, dict) else {"request": row.state}
    return msgspec.structs.replace(row, state={"known": known, **state})


def pair_rows(raw: Raw, request: str, known: str, right: str, wrong: str) -> Iterator[Row | Drop]:
    """Which of two replies is better by what is known, and whether one of them holds."""
    key = f"{raw.file.removesuffix('.jsonl').removeprefix('dataset_halueval_')}-{raw.line}"
    if len(wrong) > len(right) and draw("halueval", key, "longer") >= LONGER_SHARE:
        yield Drop("wrong answers are longer too often: not drawn")
        return
    for row in preference(request, right, wrong, 1.0, upstream_id=key, language="en", tier="constructed", mother=key):
        yield row if isinstance(row, Drop) else knowing(row, known)
    holds = draw("halueval", key, "shown") < 0.5
    state: dict[str, object] = {"request": request, "reply": right if holds else wrong}
    row = judgement("truthful", state, holds, upstream_id=key, language="en", mother=key)
    yield msgspec.structs.replace(knowing(row, known), tier="constructed")


def answer_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Short answers to a question over two paragraphs."""
    right, wrong = (str(raw[name]).strip().strip('".') for name in ("right_answer", "hallucinated_answer"))
    is_short = max(len(right.split()), len(wrong.split())) <= LONGEST_ANSWER and not _VERB.search(wrong)
    known = _STOP.sub(" ", raw["knowledge"].strip())
    if not is_short or not is_near(right, wrong) or right.lower() == wrong.lower() or not words(right) & words(known):
        yield Drop("answers not worded alike")
    else:
        yield from pair_rows(raw, raw["question"].strip(), known, right, wrong)


def dialogue_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Next turns of a dialogue that differ in what is known."""
    right, wrong = (str(raw[name]).strip() for name in ("right_response", "hallucinated_response"))
    ratio = SequenceMatcher(None, right.lower().split(), wrong.lower().split()).ratio()
    known = _TRIPLE.sub(". ", raw["knowledge"].strip())
    if ratio < ALIKE or not is_near(right, wrong):
        yield Drop("answers not worded alike")
    elif not told_apart(known, right, wrong):
        yield Drop("what is known does not tell the answers apart")
    else:
        said = raw["dialogue_history"].replace("[Human]:", "\nUser:").replace("[Assistant]:", "\nAssistant:")
        turns = "\n".join(" ".join(line.split()) for line in said.split("\n") if line.strip())
        yield from pair_rows(raw, turns, known, right, wrong)


def judged_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Replies that state facts as people judged them; a digest keeps three sound ones in ten."""
    request, reply, judged = raw["user_query"].strip(), raw["chatgpt_response"].strip(), raw["hallucination"]
    key = f"general-{raw['ID']}"
    if judged not in ("yes", "no") or not request or not reply:
        yield Drop("no judgement, request or reply")
    elif len(request) + len(reply) > LONGEST["en"]:
        yield Drop("request and reply too long")
    elif _MAKES.match(request) or _SHY.search(reply):
        yield Drop("something to be made up, or a reply that excuses itself")
    elif judged == "no" and draw("halueval", key) >= SOUND_SHARE:
        yield Drop("sound reply not drawn")
    else:
        question = Noul()
        yield Row(
            upstream_id=key, capability="response_quality", language="en",
            state={"request": request, "reply": reply}, questions={"truthful": question},
            answers={"truthful": target(question, judged == "no")}, group_keys=(f"text:{request}",),
        )  # fmt: skip


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of a record of any of the parts."""
    if "user_query" in raw.value:
        yield from judged_rows(raw)
    else:
        yield from dialogue_rows(raw) if "dialogue_history" in raw.value else answer_rows(raw)


SOURCES = (
    Source(
        name="halueval", home="https://github.com/RUCAIBox/HaluEval", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("preference_pair", "response_quality"), rows=to_rows,
        files=(
            File(name="general_data.json", reader="jsonl"),
            File(name="dataset_halueval_qa.jsonl"),
            File(name="dataset_halueval_dialogue.jsonl"),
        ),
        note="wrong answers were written by a model; summaries are left out",
    ),
)  # fmt: skip
