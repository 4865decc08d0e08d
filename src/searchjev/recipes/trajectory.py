"""Thought / action / observation transcripts of search agents, as steps."""

import re
from typing import NamedTuple

_STEP = re.compile(r"^(Action|Observation)(?: \d+)?:[ \t]*", re.MULTILINE)
_NEXT = re.compile(r"^(?:Thought|Action|Observation|Question)(?: \d+)?:", re.MULTILINE)
_ACTION = re.compile(r"\A(\w+)\[(.*)\]\.?\s*\Z", re.DOTALL)


class Step(NamedTuple):
    """One action with its argument and what came back; thoughts are left out."""

    action: str
    argument: str
    observation: str

    def as_state(self) -> dict[str, str]:
        """Step as it stands in a state."""
        return {"action": f"{self.action}[{self.argument}]", "observation": self.observation}


def steps_of(text: str) -> list[Step]:
    """Steps of a transcript; an action that can't be read ends it."""
    steps: list[Step] = []
    for match in _STEP.finditer(text):
        end = _NEXT.search(text, match.end())
        body = text[match.end() : end.start() if end else len(text)].strip()
        if match[1] == "Observation":
            if steps and not steps[-1].observation:
                steps[-1] = steps[-1]._replace(observation=body)
            continue
        action = _ACTION.match(body)
        if action is None:
            break
        steps.append(Step(action[1].lower(), action[2].strip(), ""))
    return steps
