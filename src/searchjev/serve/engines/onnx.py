"""A bundle in this process, run by onnxruntime."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from searchjev.decide import Prepared as Rows
from searchjev.decide import SearchJev
from searchjev.schema import Answer, Noul, Question, State
from searchjev.serve.engine import Identity, Logits, Prepared


class OnnxEngine:
    """SearchJev behind the server's interface."""

    def __init__(self, model: SearchJev) -> None:
        self._model = model
        info = model.info
        self.identity = Identity(info.name, info.version, info.description, info.release_date, model.calibration.id)

    @classmethod
    def load(cls, path: Path | None = None, threads: int | None = None) -> "OnnxEngine":
        """Load a bundle (default: the bundled one) and run it once, so that the first request finds it warm."""
        engine = cls(SearchJev.load(path, threads=threads))
        engine.run([engine.tokenise("", {"warm": Noul("Is it warm?")})])
        return engine

    def tokenise(self, state: State, questions: Mapping[str, Question]) -> Prepared:
        """Tokens of a request."""
        rows = self._model.prepare(state, questions)
        return Prepared(rows.tokens, sum(len(row.ids) for row in rows.rows), rows)

    def run(self, batch: Sequence[Prepared]) -> list[Logits]:
        """Logits by question id for each request."""
        rows = [item.content for item in batch if isinstance(item.content, Rows)]
        assert len(rows) == len(batch)
        return self._model.run(rows)

    def decide(self, questions: Mapping[str, Question], logits: Logits) -> dict[str, Answer]:
        """Calibrated answers of one request."""
        return self._model.answers(questions, logits)
