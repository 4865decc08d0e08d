"""Does a passage answer? QNLI (a sentence of the paragraph) and Natural Questions with their annotated passage."""

import re
from collections.abc import Iterator

from searchjev.digest import draw, pick
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source, Tier

QNLI = {"entailment": True, "not_entailment": False}
SHORTEST, LONGEST = 30, 900
LEFT = 100
"""Characters that must be left of a passage that loses a sentence."""

_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]\"”][.!?]) (?=[\"“A-Z])")
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset("a an and as at by for from in is of on or the to was with".split())


def answers_row(question: str, passage: object, does: bool, row_id: str, tier: Tier, *keys: str) -> Row:
    """Ask whether a passage holds the answer to a question."""
    noul = Noul()
    return Row(
        upstream_id=row_id,
        capability="evidence_sufficiency",
        language="en",
        state={"question": question, "passage": passage},
        questions={"answers": noul},
        answers={"answers": target(noul, does)},
        tier=tier,
        origin="derived",
        group_keys=(f"text:{question}", *keys),
    )


def qnli_rows(raw: Raw) -> Iterator[Row | Drop]:
    """One sentence of the paragraph that a question was asked about: the one that answers or another near it."""
    does, question, sentence = QNLI.get(raw["label"]), raw["question"].strip(), raw["sentence"].strip()
    if does is None or not question.endswith("?"):
        yield Drop("no label or no question")
    elif not SHORTEST <= len(sentence) <= LONGEST:
        yield Drop("sentence under 30 or over 900 characters")
    else:
        yield answers_row(question, sentence, does, str(raw["index"]), "derived", f"sentence:{sentence}")


def hints(sentence: str, question: str, answers: list[str]) -> bool:
    """Whether a sentence holds a word of an answer that the question lacks, or the whole of one."""
    held, asked = words_of(sentence), words_of(question)
    return any(answer.lower() in sentence.lower() or held & (words_of(answer) - asked) for answer in answers)


def words_of(text: str) -> set[str]:
    """Words of a text in lower case, without the commonest."""
    return set(_WORD.findall(text.lower())) - _COMMON


def oracle_rows(raw: Raw) -> Iterator[Row | Drop]:
    """The annotated passage less one sentence: the one with the answer, or one that says nothing of it.

    A passage loses a sentence either way, but never its first, so that a gap in the text tells nothing.
    """
    question, found = raw["question"].strip(), raw["ctxs"][0]
    answers = [answer.strip() for answer in raw["answers"] if answer.strip()]
    sentences = _SENTENCE_END.split(_SPACE.sub(" ", found["text"]).strip())
    telling = [place for place, sentence in enumerate(sentences) if hints(sentence, question, answers)]
    others = [place for place in range(1, len(sentences)) if place not in telling]
    if len(telling) != 1 or not any(answer.lower() in sentences[telling[0]].lower() for answer in answers):
        yield Drop("no single sentence with the answer")
        return
    if telling[0] == 0 or not others:
        yield Drop("answer in the first sentence, or no other sentence to lose")
        return
    row_id = str(raw.line)
    does = draw("nq_open_oracle", row_id, "does") < 0.5
    lost = pick(others, row_id, "lost") if does else telling[0]
    text = " ".join(sentence for place, sentence in enumerate(sentences) if place != lost)
    if not LEFT <= len(text) <= LONGEST:
        yield Drop("rest of the passage under 100 or over 900 characters")
        return
    title = found["title"].strip()
    yield answers_row(question, {"title": title, "text": text}, does, row_id, "constructed", f"page:{title}")


SOURCES = (
    Source(
        name="qnli", home="https://gluebenchmark.com", licence="GLUE; SQuAD CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=("evidence_sufficiency",), rows=qnli_rows,
        files=(File(name="dev.tsv", reader="tsv"),),
    ),
    Source(
        name="nq_open_oracle", home="https://github.com/nelson-liu/lost-in-the-middle",
        licence="MIT; Natural Questions CC-BY-SA-3.0", licence_class="open", languages=("en",),
        capabilities=("evidence_sufficiency",), rows=oracle_rows, files=(File(name="nq-open-oracle.jsonl"),),
        note="passages of other questions are no negatives here: their subject alone gives them away",
    ),
)  # fmt: skip
