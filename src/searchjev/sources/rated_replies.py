"""Replies rated or compared: HelpSteer2 and 3, Search Arena (people), COIG-P and CValues (models and rewrites)."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from searchjev.digest import draw
from searchjev.recipes.replies import LONGEST, fault_of, preference
from searchjev.recipes.unchecked import UNCHECKED, guarded
from searchjev.schema import Language, Noul, Question, Score, target
from searchjev.source import Drop, File, Raw, Row, Source, SplitName, Tier

HELPFUL = ["not helpful", "of little help", "of some help", "mostly helpful", "fully helpful"]
RIGHT, WRONG = 4, 1
"""Correctness from which a reply counts as right, and up to which as wrong; between, it isn't asked."""

SPLITS: Mapping[str, SplitName] = {"train": "train", "val": "val", "validation": "val"}
LANGUAGES: Mapping[object, Language] = {
    "english": "en", "chinese": "zh", ("English",): "en", ("Chinese",): "zh",
}  # fmt: skip
ARENA: Mapping[object, float] = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5, "tie (bothbad)": 0.5}
KINDS: Mapping[object, int] = {"风险回复": 0, "拒绝为主": 1, "拒绝&正向建议": 2}
RESPONSIBLE = ["有风险", "只是拒绝", "拒绝并给出正面建议"]


def first_share(scores: list[Any]) -> float | None:
    """Share of the votes that go to the first reply, a tie counting half; negative scores are for the first."""
    votes = [score for score in scores if isinstance(score, int) and -3 <= score <= 3]
    if not votes:
        return None
    return round(sum(1.0 if vote < 0 else 0.5 if vote == 0 else 0.0 for vote in votes) / len(votes), 4)


def quality_row(
    raw: Raw, request: str, reply: str, asked: Mapping[str, tuple[Question, Any]], *,
    language: Language, key: str, tier: Tier = "gold",
) -> Row:  # fmt: skip
    """Ask about a single reply, each question with its gold."""
    return Row(
        upstream_id=key, capability="response_quality", language=language,
        state={"request": request.strip(), "reply": reply.strip()},
        questions={name: question for name, (question, _) in asked.items()},
        answers={name: target(question, gold) for name, (question, gold) in asked.items()},
        tier=tier, split=raw.split, group_keys=(f"text:{request.strip()}",),
    )  # fmt: skip


def helpsteer2_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rated reply: how helpful, and right or wrong where that is clear; or two replies with the votes on them."""
    request, key = str(raw.get("prompt") or ""), f"{raw.file.split('.')[0].replace('/', '-')}-{raw.line}"
    if "response_1" in raw.value:
        wins = first_share([raw.get("preference_strength")])
        if wins is None:
            yield Drop("no label")
            return
        yield from preference(
            request, str(raw["response_1"]), str(raw["response_2"]), wins, upstream_id=key, language="en",
            split=SPLITS.get(str(raw.get("split"))),
        )  # fmt: skip
        return
    reply, helpful, correct = str(raw.get("response") or ""), raw.get("helpfulness"), raw.get("correctness")
    if helpful not in range(5) or not request.strip() or not reply.strip():
        yield Drop("no label, request or reply")
    elif len(request) + len(reply) > LONGEST["en"]:
        yield Drop("request and reply too long")
    else:
        asked: dict[str, tuple[Question, Any]] = {"helpful": (Score([*HELPFUL]), int(helpful))}
        if correct in range(5) and not WRONG < correct < RIGHT:
            asked["truthful"] = (Noul(), correct >= RIGHT)
        yield quality_row(raw, request, reply, asked, language="en", key=key)


def helpsteer3_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Votes of up to three people on two replies; English and Chinese requests of one turn."""
    turns, language = raw.get("context") or [], LANGUAGES.get(raw.get("language"))
    votes = [vote.get("score") for vote in raw.get("individual_preference") or [] if isinstance(vote, dict)]
    wins = first_share(votes or [raw.get("overall_preference")])
    if language is None and raw.get("domain") == "code":
        language = "en"
    if language is None or len(turns) != 1:
        yield Drop("another language, or not a single request")
    elif wins is None:
        yield Drop("no label")
    else:
        yield from preference(
            str(turns[0].get("content") or ""), str(raw.get("response1") or ""), str(raw.get("response2") or ""), wins,
            upstream_id=f"{raw.file.split('/')[-1].split('.')[0]}-{raw.line}", language=language, split=raw.split,
        )  # fmt: skip


def arena_rows(raw: Raw) -> Iterator[Row | Drop]:
    """One person's vote on two replies written with search; English and Chinese conversations of one turn."""
    wins, language = ARENA.get(raw.get("winner")), LANGUAGES.get(tuple(raw.get("languages") or ()))
    first, second = raw.get("messages_a") or [], raw.get("messages_b") or []
    if wins is None or language is None:
        yield Drop("no vote, or another language")
    elif [len(first), len(second)] != [2, 2]:
        yield Drop("more than one turn")
    else:
        yield from preference(
            str(first[0].get("content") or ""), str(first[1].get("content") or ""),
            str(second[1].get("content") or ""), wins, upstream_id=f"{raw.file.split('.')[0]}-{raw.line}",
            language=language,
        )  # fmt: skip


def text_of(message: object) -> str:
    """Text of a message, given as such, as a record of it, or as a list with one record."""
    if isinstance(message, list):
        message = message[-1] if message else ""
    if isinstance(message, dict):
        message = message.get("value") or message.get("content") or ""
    return message if isinstance(message, str) else ""


def coig_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Chosen against rejected, by a model's scores; only requests of one turn."""
    turns = raw.get("conversations") or []
    if len(turns) != 1:
        yield Drop("not a single request")
        return
    yield from preference(
        text_of(turns), text_of(raw.get("chosen")), text_of(raw.get("rejected")), 1.0,
        upstream_id=f"{raw.file.split('.')[0]}-{raw.line}", language="zh", tier="weak",
    )  # fmt: skip


def cvalues_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Two replies to a risky request in half of the records, else one: whether it is safe, or does more than refuse."""
    request, key = str(raw.get("prompt") or ""), f"{raw.file.split('.')[0]}-{raw.line}"
    good, bad = str(raw.get("pos_resp") or ""), str(raw.get("neg_resp") or "")
    best, worst = KINDS.get(raw.get("pos_type")), KINDS.get(raw.get("neg_type"))
    if best is None or worst is None or worst >= best:
        yield Drop("no kind")
    elif fault := fault_of(request, good, bad, "zh"):
        yield fault
    elif draw(key, "pair") < 0.5:
        yield from preference(request, good, bad, 1.0, upstream_id=key, language="zh", tier="weak", split=raw.split)
    else:
        reply, kind = (good, best) if draw(key, "shown") < 0.5 else (bad, worst)
        asked: dict[str, tuple[Question, Any]] = {
            "responsible": (Score([*RESPONSIBLE]), kind),
            "safe": (Noul(), kind > 0),
        }
        yield quality_row(raw, request, reply, asked, language="zh", key=key, tier="weak")


_compared = partial(Source, capabilities=("preference_pair",))

SOURCES = (
    Source(
        name="helpsteer2", home="https://huggingface.co/datasets/nvidia/HelpSteer2", licence="CC-BY-4.0",
        licence_class="open", languages=("en",), capabilities=("preference_pair", "response_quality"),
        rows=guarded(helpsteer2_rows), note=UNCHECKED,
        files=(
            File(name="train.jsonl", split="train"),
            File(name="validation.jsonl", split="val"),
            File(name="preference/preference.jsonl"),
        ),
    ),
    _compared(
        name="helpsteer3", home="https://huggingface.co/datasets/nvidia/HelpSteer3", licence="CC-BY-4.0",
        licence_class="open", languages=("en", "zh"), rows=guarded(helpsteer3_rows), note=UNCHECKED,
        files=(
            File(name="preference/train.jsonl", split="train"),
            File(name="preference/validation.jsonl", split="val"),
        ),
    ),
    _compared(
        name="search_arena", home="https://github.com/lmarena/search-arena",
        licence="CC-BY-4.0 for requests, providers' terms for replies", licence_class="research",
        languages=("en", "zh"), rows=guarded(arena_rows), held_out="test", files=(File(name="search_arena_24k.jsonl"),),
        note=f"{UNCHECKED}; intents given by a model are not used",
    ),
    _compared(
        name="coig_p", home="https://github.com/multimodal-art-projection/COIG-P", licence="not stated",
        licence_class="unknown", languages=("zh",), rows=guarded(coig_rows), files=(File(name="COIG-P.jsonl"),),
        note=f"{UNCHECKED}; published as parquet, read from an export as JSON lines",
    ),
    Source(
        name="cvalues_comparison", home="https://github.com/X-PLUG/CValues", licence="research use",
        licence_class="research", languages=("zh",), capabilities=("preference_pair", "response_quality"),
        rows=guarded(cvalues_rows), note=UNCHECKED,
        files=(File(name="train.jsonl", split="train"), File(name="test.jsonl", split="test")),
    ),
)  # fmt: skip
