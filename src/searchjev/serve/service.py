"""One request from bytes to answer: parse, tokenise, run in a batch, decide, print."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from searchjev.errors import DataError, TooLongError
from searchjev.schema import Answer, Question, Score, ScoreAnswer, question_type
from searchjev.serve.batcher import Batcher
from searchjev.serve.engine import Engine, Logits, Prepared
from searchjev.serve.failure import Failure, Overloaded
from searchjev.serve.metrics import Metrics
from searchjev.serve.settings import Settings
from searchjev.strict_json import Problem
from searchjev.wire import UnsupportedError, WireError, WireRequest, parse_request

TOKENISERS = 2
INLINE_BYTES = 2_048
"""A smaller request is tokenised where it stands: that takes less time than the way to a thread and back."""


class Service:
    """The engine with its queue; made once for an app."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine = engine
        self.settings = settings
        self.metrics = Metrics()
        self.batcher: Batcher[Prepared, Logits] = Batcher(engine.run, settings)
        self.is_stopping = False
        self._tokenisers = ThreadPoolExecutor(TOKENISERS, thread_name_prefix="searchjev-tokenise")

    def start(self) -> None:
        """Begin to work; needs a running loop."""
        self.batcher.start()

    async def stop(self) -> None:
        """Finish what was admitted."""
        self.is_stopping = True
        await self.batcher.stop()
        self._tokenisers.shutdown(wait=False)

    def admitted_request(self) -> AbstractContextManager[None]:
        """Block of one request from arrival to answer; Overloaded when too many are in flight, or at the end."""
        if self.is_stopping:
            raise Overloaded("the server is stopping; send the request again", 1.0)
        return self.batcher.admitted_request()

    @property
    def names(self) -> list[str]:
        """Names that requests may ask for, the model's own first."""
        return list(dict.fromkeys((self.engine.identity.name, *self.settings.aliases)))

    def parse(self, body: bytes) -> WireRequest:
        """Request of a body; WireError or Failure when it cannot be served."""
        try:
            request = parse_request(body)
        except UnsupportedError as error:
            raise Failure(400, "api_usage_error", str(error)) from None
        if request.model not in self.names:
            message = f"model {request.model[:80]!r} is not served here; expected one of {', '.join(self.names)}"
            raise Failure(404, "not_found_error", message)
        return request

    async def tokenise(self, request: WireRequest, size: int) -> Prepared:
        """Tokens of a request that came in `size` bytes; a Failure with counts when there are too many."""
        try:
            prepared = await self._tokenise(request, size)
        except TooLongError as error:
            raise _too_long(str(error), error.tokens, error.limit) from None
        except DataError as error:
            raise WireError([Problem("value_error", ("body",), str(error))]) from None
        limit = self.settings.max_request_tokens
        if max(prepared.cost, prepared.tokens) > limit:
            message = f"{prepared.cost} tokens in all questions together, expected at most {limit}; ask in parts"
            raise _too_long(message, prepared.cost, limit)
        return prepared

    async def _tokenise(self, request: WireRequest, size: int) -> Prepared:
        if size <= INLINE_BYTES:
            return self.engine.tokenise(request.state, request.questions)
        return await asyncio.get_running_loop().run_in_executor(
            self._tokenisers, self.engine.tokenise, request.state, request.questions
        )

    def run(self, prepared: Prepared) -> asyncio.Future[Logits]:
        """Future of the logits; Overloaded when it would wait too long."""
        return self.batcher.submit(prepared, prepared.cost)

    def decide(self, request: WireRequest, prepared: Prepared, logits: Logits) -> dict[str, Any]:
        """Body of the answer; the numbers are printed as they are and everything else follows from them."""
        self._check_finite(logits)
        answers = self.engine.decide(request.questions, logits)
        self.metrics.tokens += prepared.tokens
        self.metrics.questions.update(question_type(question) for question in request.questions.values())
        return {
            "model": self.engine.identity.name,
            "answers": printed(request.questions, answers),
            "usage": {"input_tokens": prepared.tokens, "output_tokens": len(answers)},
            "x_calibration": self.engine.identity.calibration,
        }

    def _check_finite(self, logits: Mapping[str, Sequence[float]]) -> None:
        """A NaN compares false with every threshold, so it must never look like an answer."""
        for name, values in logits.items():
            if not all(map(math.isfinite, values)):
                self.metrics.model_failures += 1
                raise Failure(
                    500, "api_error", f"questions.{name}: the model's output is not finite; no answer is given"
                )


def printed(questions: Mapping[str, Question], answers: Mapping[str, Answer]) -> dict[str, Any]:
    """Answers as the contract prints them, in the order of the questions."""
    return {name: _printed(question, answers[name]) for name, question in questions.items()}


def _printed(question: Question, answer: Answer) -> dict[str, Any]:
    fields = {name: getattr(answer, name) for name in answer.__struct_fields__}
    if isinstance(answer, ScoreAnswer):
        assert isinstance(question, Score)
        fields["legend"] = {str(i): level for i, level in enumerate(question.criteria)}
    return {"type": question_type(question), **fields}


def _too_long(message: str, tokens: int, limit: int) -> Failure:
    return Failure(413, "max_tokens_exceeded", message, tokens=tokens, limit=limit)
