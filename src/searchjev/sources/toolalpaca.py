"""ToolAlpaca: requests to small web services with the call that they need, and runs with what came back (Tang 2023).

A language model judged the runs; its judgements only keep calls of wrong runs from being shown as calls that worked.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.schema import Choice, Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

RUNS = "evalution_outputs/ToolAlpaca7b.json"
ASK, ASK_NAME = "getDetails", "ask_user"
ASKING = "Ask the user for a detail that the request leaves out"
SOLUTION = "## AI Assistant's Solution\n"
FINE_SHARE = 0.25
"""Share of runs without a failed call of which a call that worked is kept."""

LONGEST = 1_200
_REQUEST = re.compile(r"## Task Instruction\n(.*?)\n+## Standard Answer", re.DOTALL)
_CALL = re.compile(
    r"^\d+\. Function: (\w+)\nParameters: (.*?)\nRetruns: (.*?)(?=\n\d+\. (?:Function|Final Response): |\n\n## |\Z)",
    re.MULTILINE | re.DOTALL,
)
_STATUS = re.compile(r"\AStatus Code: (\d+)\. Response: ")
_ADVICE = re.compile(r"\.? You (?:should choose one of|need to change).*\Z", re.DOTALL)
_EMPTY = re.compile(r"\[\]|\{\}|\"\"|null|error|false|not found", re.IGNORECASE)


class Call(NamedTuple):
    """One call of a run with what came back; `worked` is None where that is in doubt."""

    action: str
    observation: str
    worked: bool | None

    def as_state(self) -> dict[str, str]:
        """Call as it stands in a state."""
        return {"action": self.action, "observation": self.observation}


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one service with its requests, or of all runs."""
    if raw.file == RUNS:
        for service, runs in raw.value.items():
            if service != "statistics":
                for run in runs:
                    yield from run_rows(run, service)
        return
    for number, (request, calls) in enumerate(zip(raw["Instructions"], raw["Golden_Answers"], strict=True)):
        yield request_row(raw, number, unquoted(request), calls)


def unquoted(text: str) -> str:
    """Request without the quotes that stand around it as a whole, or on one end alone."""
    text = text.strip()
    if text.count('"') == 2 and text[0] == text[-1] == '"':
        return text[1:-1].strip()
    return text.strip('"').strip() if text.count('"') == 1 else text


def request_row(raw: Raw, number: int, request: str, calls: list[dict[str, str]]) -> Row | Drop:
    """Which call comes first; calls that could as well come first are no options."""
    described = {name: text.partition("\n")[0].strip() for name, text in raw["Function_Description"].items()}
    tools = {name: text for name, text in described.items() if name != "components" and text}
    first = calls[0]["Action"] if calls else ""
    free = {call["Action"] for call in calls[1:] if "${" not in str(call["Action_Input"])} - {first}
    options = {**{name: text for name, text in tools.items() if name not in free}, ASK_NAME: ASKING}
    gold = ASK_NAME if first == ASK else first
    if gold not in options or len(options) < 4:
        return Drop("call unknown or too few others")
    row_id = f"{raw['Name']}-{number}"
    question = Choice({name: options[name] for name in shuffled(sorted(options), row_id, "options")})
    return Row(
        upstream_id=row_id,
        capability="state_action",
        language="en",
        state={"service": raw["Name"], "request": request},
        questions={"action": question},
        answers={"action": target(question, gold)},
        mother=raw["Name"],
        group_keys=(f"service:{raw['Name']}",),
    )


def calls_of(text: str) -> list[Call]:
    """Calls of a run as the judge was shown them, without the status and the advice that tell how each went."""
    calls = []
    for name, given, back in _CALL.findall(text.partition(SOLUTION)[2]):
        status = _STATUS.match(back)
        said = _ADVICE.sub("", _STATUS.sub("", back)).strip()
        worked: bool | None = None
        if name != ASK and status and status[1] == "200":
            worked = None if _EMPTY.search(said) else True
        elif name != ASK and (status or back.startswith("Parameter type error")):
            worked = False
        action = f"ask the user: {given}" if name == ASK else f"{name}({given})"
        calls.append(Call(action, said if len(said) <= LONGEST else said[:LONGEST] + " …", worked))
    return calls


def run_rows(run: dict[str, Any], service: str) -> Iterator[Row | Drop]:
    """A call that failed and one that worked; of runs where all worked only some."""
    text = run["input"][0]["content"] if run["input"] else ""
    request, calls = _REQUEST.search(text), calls_of(text)
    key = f"run-{service}-{run['id']}"
    bad = [i for i, call in enumerate(calls) if call.worked is False]
    # a call that came back whole may still be the wrong one: only runs judged right show what worked
    is_right = "Process Correctness: Yes" in run["output"]
    good = [i for i, call in enumerate(calls) if call.worked and is_right]
    places = [pick(bad, key, "bad")] if bad else []
    if good and (bad or draw(key, "fine") < FINE_SHARE):
        places.append(pick(good, key, "good"))
    if request is None or not places:
        yield Drop("no call that surely failed or worked, or thinned out")
        return
    for place in places:
        question = Noul()
        before = [{"action": call.action} for call in calls[max(0, place - 4) : place]]
        yield Row(
            upstream_id=f"{key}-{place}",
            capability="failure_recovery",
            language="en",
            state={"request": unquoted(request[1]), "steps": before, "last_step": calls[place].as_state()},
            questions={"failed": question},
            answers={"failed": target(question, place in bad)},
            tier="derived",
            origin="derived",
            mother=key,
            group_keys=(f"service:{service}",),
        )


SOURCES = (
    Source(
        name="toolalpaca",
        home="https://github.com/tangqiaoyu/ToolAlpaca",
        licence="Apache-2.0",
        licence_class="open",
        languages=("en",),
        capabilities=("failure_recovery", "state_action"),
        files=(
            File(name="eval_simulated.json", reader="json"),
            File(name="eval_real.json", reader="json"),
            File(name=RUNS, reader="json"),
        ),
        rows=to_rows,
        note="Services are played by a language model in most runs; whether a call failed is told by its status.",
    ),
)
