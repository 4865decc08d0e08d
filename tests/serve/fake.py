"""An engine without a model: logits from digests of the texts, so that order and company change nothing."""

import threading
import time
from collections.abc import Mapping, Sequence

import numpy as np

from searchjev.digest import draw
from searchjev.errors import TooLongError
from searchjev.prompt import render
from searchjev.schema import Answer, Question, State, answer_from
from searchjev.serve.engine import Identity, Logits, Prepared

FAKE = Identity("searchjev-fake", "0", "digests, no model", "2026-12-01", "fake-calibration")


class FakeEngine:
    """Takes `seconds` a batch, waits while `gate` is clear; `batches` records what was run.

    `poison` in a state makes its run fail.
    """

    def __init__(self, *, seconds: float = 0.0, limit: int = 20_000, identity: Identity = FAKE) -> None:
        self.identity = identity
        self.seconds = seconds
        self.limit = limit
        self.batches: list[int] = []
        self.replace: dict[str, float] = {}
        self.busy = threading.Lock()
        self.gate = threading.Event()
        self.gate.set()

    def tokenise(self, state: State, questions: Mapping[str, Question]) -> Prepared:
        prompts = {name: render(state, question) for name, question in questions.items()}
        tokens = 0
        for name, prompt in prompts.items():
            length = sum(len(text.split()) for text in (*prompt.parts, prompt.question, *prompt.options))
            if length > self.limit:
                raise TooLongError(f"questions.{name}: {length} tokens", tokens=length, limit=self.limit)
            tokens += length
        return Prepared(tokens, max(1, tokens), prompts)

    def run(self, batch: Sequence[Prepared]) -> list[Logits]:
        assert self.busy.acquire(blocking=False), "two runs at once"
        try:
            self.batches.append(len(batch))
            time.sleep(self.seconds)
            assert self.gate.wait(30), "the gate stayed shut"
            if any("poison" in str(item.content) for item in batch):
                raise ValueError("poisoned")
            return [self._logits(item) for item in batch]
        finally:
            self.busy.release()

    def _logits(self, item: Prepared) -> Logits:
        return {
            name: [
                self.replace.get(option, 4 * draw(*prompt.parts, "|", prompt.question, "|", option))
                for option in prompt.options
            ]
            for name, prompt in item.content.items()
        }

    def decide(self, questions: Mapping[str, Question], logits: Logits) -> dict[str, Answer]:
        return {name: answer_from(question, softmax(logits[name])) for name, question in questions.items()}


def softmax(values: Sequence[float]) -> list[float]:
    weights = np.exp(np.asarray(values) - max(values))
    return (weights / weights.sum()).tolist()
