"""HalluQA: Chinese questions that tempt to answer wrongly, with right and wrong answers and a source."""

from collections.abc import Iterator

from searchjev.digest import draw
from searchjev.recipes.replies import judgement, preference
from searchjev.source import Drop, File, Raw, Row, Source

LONGEST_SOURCE = 400


def evidence_of(source: str) -> str:
    """Text of the cited source without its addresses; empty where only addresses are given."""
    lines = [line.strip() for line in source.split("\n") if "http" not in line]
    return "\n".join(line for line in lines if line)


def closest(right: list[str], wrong: list[str]) -> tuple[str, str]:
    """Right and wrong answer of most equal length, for length must not tell which is which."""
    return min(((a, b) for a in right for b in wrong), key=lambda pair: (abs(len(pair[0]) - len(pair[1])), pair))


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """One pair of answers, and one of the two alone; with the source's text where there is one."""
    request, item = str(raw["Question"]).strip(), str(raw["question_id"])
    right = [str(raw.value[f"Best Answer{n}"]).strip() for n in range(1, 5) if raw.get(f"Best Answer{n}")]
    wrong = [str(raw.value[f"Wrong_Answer{n}"]).strip() for n in range(1, 5) if raw.get(f"Wrong_Answer{n}")]
    if not request or not right or not wrong:
        yield Drop("no right or no wrong answer")
        return
    good, bad = closest(right, wrong)
    yield from preference(request, good, bad, 1.0, upstream_id=item, language="zh", tier="derived", mother=item)
    holds = draw("halluqa", item) < 0.5
    state: dict[str, object] = {"request": request, "reply": good if holds else bad}
    evidence = evidence_of(str(raw.get("Source") or ""))
    if 0 < len(evidence) <= LONGEST_SOURCE:
        state["evidence"] = [evidence]
    yield judgement("truthful", state, holds, upstream_id=item, language="zh", mother=item)


SOURCES = (
    Source(
        name="halluqa", home="https://github.com/OpenMOSS/HalluQA", licence="Apache-2.0", licence_class="open",
        languages=("zh",), capabilities=("preference_pair", "response_quality"), rows=to_rows,
        files=(File(name="HalluQA.json", reader="json"),),
        note="judgements of model outputs were made by a model and are not used",
    ),
)  # fmt: skip
