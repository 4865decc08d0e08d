"""Restoration-200K: Chinese forum chat, turns that lean on earlier ones and turns that don't (Pan et al. 2019).

Of a record's six turns the fifth is the one restored; the sixth, which follows it, is not shown. The restored texts
are not used: many put a piece of the chat before the turn and no more, which is no rewrite to imitate.
"""

import re
from collections.abc import Iterator

from searchjev.recipes.rewriting import dialogue_of, resolved
from searchjev.schema import Noul, State, target
from searchjev.source import Drop, File, Raw, Row, Source

SHORTEST = 5
"""Chinese characters below which a turn says too little either way."""

MOST_ADDED = 12
_COARSE = re.compile(
    "[炮骚逼屌屄艹操娼嫖尻射]|做爱|啪啪|裸|鸡巴|后入|性[爱感欲瘾]|妈的|[他你]妹的|他妈|ons|高潮|咪咪|滚床|胖次"
    "|日[我你他]|强奸|处女|罩杯|杯好吗|傻x|饥渴|身体|cup|sex|milf",
    re.IGNORECASE,
)
_POINTING = re.compile("[他她它这那]|也|还|呢$|[呵哈]{2}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def cells_of(raw: Raw) -> list[str] | None:
    """Six turns, mark and restored turn of a line; None for any other line."""
    cells = [str(cell).strip() for cell in raw.value]
    whole = len(cells) == 8 and all(cells[:6]) and cells[6] in ("0", "1") and bool(cells[7]) == (cells[6] == "1")
    return cells if whole else None


def is_plain(cells: list[str]) -> bool:
    """Whether all that was restored is one piece of the turns before."""
    said, rewrite = cells[4], cells[7]
    start, end = resolved(said, rewrite) or (0, 0)
    is_one = 0 < end - start == len(rewrite) - len(said) and end - start <= MOST_ADDED
    return is_one and any(rewrite[start:end] in text for text in cells[:4])


def fault_of(cells: list[str]) -> str | None:
    """Why a record is not used, or None."""
    if _COARSE.search(" ".join(cells)):
        return "coarse words"
    if len(_HAN.findall(cells[4])) < SHORTEST:
        return "turn of fewer than five characters"
    if cells[6] == "0" and _POINTING.search(cells[4]):
        return "marked complete, but points back"
    if cells[6] == "1" and not is_plain(cells):
        return "restored with more than one piece of the chat"
    return None


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Ask whether the last turn leaves out what has to be taken from earlier ones."""
    cells = cells_of(raw)
    if cells is None:
        yield Drop("not six turns with a mark")
        return
    if fault := fault_of(cells):
        yield Drop(fault)
        return
    question = Noul()
    state: State = {"utterance": cells[4], "dialogue": dialogue_of(cells[:4])}
    yield Row(
        upstream_id=f"{raw.file.split('.')[0]}-{raw.line}",
        capability="contextual_rewrite",
        language="zh",
        state=state,
        questions={"needed": question},
        answers={"needed": target(question, cells[6] == "1")},
        split=raw.split,
        group_keys=(f"text:{cells[0]}",),
    )


SOURCES = (
    Source(
        name="restoration_200k",
        home="https://ai.tencent.com/ailab/nlp/dialogue",
        licence="research release, no licence text",
        licence_class="unknown",
        languages=("zh",),
        capabilities=("contextual_rewrite",),
        files=(File(name="valid.txt", reader="tsv_plain"), File(name="test.txt", reader="tsv_plain", split="test")),
        rows=rows,
    ),
)
