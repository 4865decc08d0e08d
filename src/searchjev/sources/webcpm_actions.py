"""WebCPM: steps of Chinese web search runs, with what the searcher saw and the operation chosen (Qin et al. 2023)."""

import re
from collections.abc import Iterator

from searchjev.schema import Choice, target
from searchjev.source import Drop, File, Raw, Row, Source

ACTIONS = {
    "下翻": "scroll_down",
    "上翻": "scroll_up",
    "返回": "back",
    "新增摘要": "quote",
    "合并摘要": "merge",
    "一号页面": "open_1",
    "二号页面": "open_2",
    "三号页面": "open_3",
    "结束": "finish",
    "搜索": "search",
}
NOTHING = "无"
LAST_STEPS = 6
_FIELD = re.compile(
    r"^(问题|摘要|当前搜索|上回界面|当前界面|剩余操作步数|可选操作|历史操作|下一步操作)：", re.MULTILINE
)
_SPACE = re.compile(r"(?:\s|<+br/>|<+)+")


def fields_of(source: str) -> dict[str, str]:
    """Named parts of a state's text; line breaks of pages become spaces."""
    marks = list(_FIELD.finditer(source))
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    return {m[1]: _SPACE.sub(" ", source[m.end() : end]).strip() for m, end in zip(marks, ends, strict=True)}


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of one step: which kind of operation follows; the text of an operation is cut from the history."""
    instance = raw["instance"][0]
    chosen = ACTIONS.get(re.split("[；;]", instance["<ans>"])[0].strip())
    fields = fields_of(instance["source"])
    if chosen is None or not {"问题", "当前界面", "历史操作"} <= set(fields):
        yield Drop("unknown operation or fields missing")
        return
    steps = [step for step in fields["历史操作"].split("；") if step][-LAST_STEPS:]
    notes = fields.get("摘要", NOTHING)
    state = {
        "question": fields["问题"],
        "notes": [part.strip() for part in re.split(r"摘要\d+：", notes) if part.strip() and part != NOTHING],
        "page": {"text": fields["当前界面"]},
        "last_steps": steps,
    }
    question = Choice(dict.fromkeys(ACTIONS.values()))
    yield Row(
        upstream_id=str(raw.line),
        capability="action_imitation",
        language="zh",
        state=state,
        questions={"action": question},
        answers={"action": target(question, chosen)},
        tier="demonstration",
        mother=fields["问题"],
        group_keys=(f"question:{fields['问题']}",),
    )


SOURCES = (
    Source(
        name="webcpm_actions",
        home="https://github.com/thunlp/WebCPM",
        licence="Apache-2.0",
        licence_class="open",
        languages=("zh",),
        capabilities=("action_imitation",),
        files=(File(name="test_output.json"),),
        rows=to_rows,
    ),
)
