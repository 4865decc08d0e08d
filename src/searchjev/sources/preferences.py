"""Replies compared by people: Auto-J (and its kinds of requests), PandaLM, LLMBar, LLMEval2, a Chinese DPO set."""

import ast
from collections.abc import Iterator, Mapping
from functools import partial

from searchjev.digest import draw
from searchjev.recipes.intents import class_row, readable
from searchjev.recipes.replies import fault_of, judgement, preference
from searchjev.schema import Language
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

FIRST_WINS: Mapping[object, float] = {0: 1.0, 1: 0.0, 2: 0.5}
VOTE: Mapping[str, float] = {"1": 1.0, "2": 0.0, "0": 0.5}
WINNER: Mapping[str, float] = {"model1": 1.0, "model2": 0.0, "TIE": 0.5}
SCENARIOS = "scenario_testdata.jsonl"
NO_KIND = "default"
LONGEST_REQUEST = 1_200
CHINESE_PART = "rlhf-reward-chinese"


def pair_rows(language: Language, record: Mapping[str, object], raw: Raw) -> Iterator[Row | Drop]:
    """Auto-J's pair: label 0 first, 1 second, 2 tie. Both languages hold the same items in the same order."""
    wins = FIRST_WINS.get(record.get("label"))
    if wins is None:
        yield Drop("no label")
        return
    yield from preference(
        str(record["prompt"]), str(record["response 1"]), str(record["response 2"]), wins,
        upstream_id=f"pair-{raw.line}", language=language, keys=(f"auto_j:pair-{raw.line}",),
    )  # fmt: skip


def auto_j_rows(found: Files) -> Rows:
    """English pairs, and requests with the kind of task they set."""
    kinds = sorted({readable(raw["category"]) for raw in found.read(SCENARIOS)} - {NO_KIND})

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        if raw.file == SCENARIOS:
            yield kind_row(raw, kinds)
        else:
            yield from pair_rows("en", raw.value, raw)

    return rows


def kind_row(raw: Raw, kinds: list[str]) -> Row | Drop:
    """Which kind of task a request sets; the kind "default" is what is left over."""
    kind = readable(raw["category"])
    request = "\n".join(part.strip() for part in (raw["instruction"], raw["input"]) if part.strip())
    if kind == NO_KIND or not request:
        return Drop("class without meaning, or no request")
    if len(request) > LONGEST_REQUEST:
        return Drop("request over 1,200 characters")
    return class_row(
        "query_classification", "task", request, kind, kinds, upstream_id=f"kind-{raw.line}", language="en", split=None
    )


def auto_j_zh_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Chinese pairs, a Python literal a line."""
    try:
        record = ast.literal_eval(raw.value)
    except (ValueError, SyntaxError):
        yield Drop("not a literal")
        return
    yield from pair_rows("zh", record, raw)


def pandalm_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Mean of three people's votes; a tie counts half."""
    votes = [VOTE.get(str(raw.get(f"annotator{n}"))) for n in (1, 2, 3)]
    given = [vote for vote in votes if vote is not None]
    if len(given) < 3:
        yield Drop("fewer than three votes")
        return
    request = "\n".join(part for part in (str(raw["instruction"]), str(raw["input"])) if part.strip())
    yield from preference(
        request, str(raw["response1"]), str(raw["response2"]), round(sum(given) / 3, 4),
        upstream_id=str(raw["idx"]), language="en", keys=(f"text:{raw['instruction']}",),
    )  # fmt: skip


def llmbar_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Which output follows the instruction better; where the other breaks it by design, each output alone too."""
    request, first, second, label = str(raw["input"]), str(raw["output_1"]), str(raw["output_2"]), raw["label"]
    name = raw.file.removesuffix("_dataset.json")
    row_id, plain = f"{name}-{raw.line}", request.rsplit("User Input:\n")[-1]
    if label not in (1, 2):
        yield Drop("no label")
        return
    keys = (f"text:{plain.strip()}",)
    yield from preference(
        request, first, second, float(label == 1), upstream_id=row_id, language="en", keys=keys, mother=row_id
    )
    if "Adversarial" in name and fault_of(request, first, second, "en") is None:
        shown_first = draw("llmbar", row_id) < 0.5
        yield judgement(
            "follows",
            {"request": request.strip(), "reply": (first if shown_first else second).strip()},
            shown_first == (label == 1),
            upstream_id=row_id,
            language="en",
            mother=row_id,
            keys=keys,
        )


def llmeval2_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Pairs of fifteen sets; one of them is Chinese."""
    wins = WINNER.get(raw.get("human", ""))
    if wins is None:
        yield Drop("no label")
        return
    yield from preference(
        raw["query"], raw["response1"], raw["response2"], wins, upstream_id=f"{raw.file}-{raw.line}",
        language="zh" if raw["dataset"] == CHINESE_PART else "en",
    )  # fmt: skip


def dpo_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Chosen against rejected; only requests of one turn."""
    turns = raw.get("conversations") or []
    if len(turns) != 1:
        yield Drop("not a single request")
        return
    yield from preference(
        turns[0]["value"], raw["chosen"], raw["rejected"], 1.0, upstream_id=f"{raw.file}-{raw.line}", language="zh",
        tier="weak",
    )  # fmt: skip


_compared = partial(Source, capabilities=("preference_pair",))
_LLMBAR = (
    "LLMBar__Natural", "LLMBar__Adversarial__Neighbor", "LLMBar__Adversarial__GPTInst", "LLMBar__Adversarial__GPTOut",
    "LLMBar__Adversarial__Manual", "CaseStudy__Base_9", "CaseStudy__Base_10", "CaseStudy__Constraint",
    "CaseStudy__Negation", "CaseStudy__Normal", "Processed__FairEval",
)  # fmt: skip

SOURCES = (
    Source(
        name="auto_j", home="https://github.com/GAIR-NLP/auto-j", licence="research use", licence_class="research",
        languages=("en",), capabilities=("preference_pair", "query_classification"), prepare=auto_j_rows,
        files=(File(name="testdata_pairwise.jsonl"), File(name=SCENARIOS)),
        note="ratings and critiques written by a model are not used",
    ),
    _compared(
        name="auto_j_zh_pairwise", home="https://github.com/GAIR-NLP/auto-j", licence="research use",
        licence_class="research", languages=("zh",), rows=auto_j_zh_rows,
        files=(File(name="zh_testdata_pairwise_show.txt", reader="lines"),),
    ),
    _compared(
        name="pandalm", home="https://github.com/WeOpenML/PandaLM", licence="Apache-2.0", licence_class="open",
        languages=("en",), rows=pandalm_rows, files=(File(name="testset-v1.json", reader="json"),),
    ),
    Source(
        name="llmbar", home="https://github.com/princeton-nlp/LLMBar", licence="MIT", licence_class="open",
        languages=("en",), capabilities=("preference_pair", "response_quality"), rows=llmbar_rows,
        files=tuple(File(name=f"{part}_dataset.json", reader="json") for part in _LLMBAR),
        note="the processed LLMEval2 and MT-Bench parts are left to llmeval2, which is held out",
    ),
    _compared(
        name="llmeval2", home="https://github.com/AlibabaResearch/DAMO-ConvAI/tree/main/WideDeep",
        licence="parts follow their own sets", licence_class="research", languages=("en", "zh"), held_out="test",
        rows=llmeval2_rows, files=(File(name="LLMEval2_benchmark.jsonl"),),
    ),
    _compared(
        name="dpo_zh_500", home="https://github.com/shibing624/MedicalGPT", licence="research use",
        licence_class="research", languages=("zh",), rows=dpo_rows, files=(File(name="dpo_zh_500.jsonl"),),
    ),
)  # fmt: skip
