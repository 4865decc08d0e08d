"""SearchJev.load(path?).decide(state, questions): answers in process, typed, thread-safe; onnxruntime, no torch."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime as ort

from searchjev.bundle import Bundle, BundleInfo, Calibration, load_bundle
from searchjev.encode import Request, Row, TextEncoder, check_length, collate, rows_of, tokenise
from searchjev.errors import ArtifactError, DataError
from searchjev.schema import Answer, Question, State, answer_from, check_question, question_type

BATCH_TOKENS = 4_096
"""Padded tokens of one run of the network; more rows make more runs."""

Ask = tuple[State, Mapping[str, Question]]


class Prepared(NamedTuple):
    """A tokenised request: its questions, the network's rows, and the tokens of state, questions and options."""

    questions: Mapping[str, Question]
    rows: list[Row]
    tokens: int


class _Planned(NamedTuple):
    """A row of the network and the request that it answers a part of."""

    request: int
    row: Row


class SearchJev:
    """A loaded model. All methods may be called from many threads at once."""

    def __init__(self, bundle: Bundle, threads: int | None = None) -> None:
        self.path: Path = bundle.path
        self.info: BundleInfo = bundle.info
        self.calibration: Calibration = bundle.calibration
        self._encoder = TextEncoder(bundle.path / "tokenizer.json")
        self._session = _session(bundle.path / "model.onnx", threads)

    @classmethod
    def load(cls, path: Path | str | None = None, *, threads: int | None = None) -> "SearchJev":
        """Load a bundle folder (by default the model that comes with the package); `threads` of one run."""
        return cls(load_bundle(None if path is None else Path(path)), threads)

    def decide(self, state: State, questions: Mapping[str, Question]) -> dict[str, Answer]:
        """Answers by question id, with calibrated probabilities.

        Raises DataError for a malformed question and TooLongError, with counts, for one that needs more tokens than
        `info.max_tokens`; nothing is ever cut.
        """
        return self.decide_many([(state, questions)])[0]

    def decide_many(self, requests: Sequence[Ask]) -> list[dict[str, Answer]]:
        """Answers to many states at once, each as if it had been asked alone."""
        return [
            self.answers(questions, logits)
            for (_, questions), logits in zip(requests, self.logits_many(requests), strict=True)
        ]

    def logits_many(self, requests: Sequence[Ask]) -> list[dict[str, list[float]]]:
        """Uncalibrated logits: [true, false] of a noul, else in the order of the criteria."""
        return self.run(
            [
                self.prepare(state, questions, f" of request {number}" if len(requests) > 1 else "")
                for number, (state, questions) in enumerate(requests)
            ]
        )

    def count_tokens(self, state: State, questions: Mapping[str, Question]) -> int:
        """Tokens of the state, all questions and all options, each counted once."""
        return _token_count(tokenise(self._encoder, state, questions))

    def prepare(self, state: State, questions: Mapping[str, Question], where: str = "") -> Prepared:
        """First of three steps of `decide`: tokens. Raises what `decide` raises, with `where` after the place."""
        if not isinstance(state, str | dict | list):
            raise DataError(f"state{where}: {type(state).__name__}, expected text, an object or a list")
        for name, question in questions.items():
            check_question(question, f"questions.{name}{where}")
        request = tokenise(self._encoder, state, questions)
        check_length(request, [f"{name}{where}" for name in questions], self.info.max_tokens)
        return Prepared(questions, rows_of(request) if questions else [], _token_count(request))

    def run(self, prepared: Sequence[Prepared]) -> list[dict[str, list[float]]]:
        """Second step: logits of each request by question id, as from `logits_many`."""
        planned = [_Planned(number, row) for number, item in enumerate(prepared) for row in item.rows]
        flat: list[list[float]] = [[] for _ in prepared]
        for item, logits in zip(planned, self._run(planned), strict=True):
            flat[item.request] += logits
        return [_by_question(item.questions, logits) for item, logits in zip(prepared, flat, strict=True)]

    def answers(self, questions: Mapping[str, Question], logits: Mapping[str, list[float]]) -> dict[str, Answer]:
        """Third step: calibrated answers of one request's logits."""
        return {name: self._answer(question, logits[name]) for name, question in questions.items()}

    def _run(self, planned: Sequence[_Planned]) -> list[list[float]]:
        out: list[list[float]] = [[] for _ in planned]
        for batch in _batches([item.row for item in planned]):
            rows = [planned[i].row for i in batch]
            logits = self._session.run(["logits"], collate(rows)._asdict())[0]
            for i, row, values in zip(batch, rows, logits, strict=True):
                out[i] = values[: len(row.question_of_option)].tolist()
        return out

    def _answer(self, question: Question, logits: list[float]) -> Answer:
        temperature = self.calibration.temperature.get(question_type(question), 1.0)
        scaled = np.asarray(logits, np.float64) / temperature
        weights = np.exp(scaled - scaled.max())
        return answer_from(question, (weights / weights.sum()).tolist())


def _token_count(request: Request) -> int:
    return request.state_tokens + sum(len(b.question) + sum(map(len, b.options)) for b in request.blocks)


def _by_question(questions: Mapping[str, Question], flat: list[float]) -> dict[str, list[float]]:
    out, begin = {}, 0
    for name, question in questions.items():
        end = begin + (2 if question_type(question) == "noul" else len(question.criteria))  # type: ignore[arg-type]
        out[name] = flat[begin:end]
        begin = end
    return out


def _batches(rows: Sequence[Row]) -> Iterator[list[int]]:
    """Row numbers by ascending length, cut at BATCH_TOKENS padded tokens."""
    current: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: len(rows[i].ids)):
        if current and (len(current) + 1) * len(rows[i].ids) > BATCH_TOKENS:
            yield current
            current = []
        current.append(i)
    if current:
        yield current


def _session(path: Path, threads: int | None) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or min(8, len(os.sched_getaffinity(0)))
    options.inter_op_num_threads = 1
    # the arena keeps the largest shape ever seen; one long request would cost its memory for ever
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    # weights are stored in 8 bit and unpacked once, here: the arithmetic is fp32
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own classes without a common base
        raise ArtifactError(f"{path}: onnxruntime can't load it ({error}); copy the bundle again") from None
