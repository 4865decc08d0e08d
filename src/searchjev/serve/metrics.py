"""Counts of what was served, as text that Prometheus and people read."""

from collections import Counter
from typing import Any

from searchjev.serve.batcher import Batcher


class Metrics:
    """Counters of one server; used from its loop only."""

    def __init__(self) -> None:
        self.responses: Counter[int] = Counter()
        self.questions: Counter[str] = Counter()
        self.tokens = 0
        self.seconds = 0.0
        self.model_failures = 0

    def text(self, batcher: Batcher[Any, Any]) -> str:
        """Lines of `name{labels} value`."""
        return "".join(
            [
                *_family("responses_total", "status", {str(k): v for k, v in sorted(self.responses.items())}),
                *_family("questions_total", "type", dict(sorted(self.questions.items()))),
                f"searchjev_input_tokens_total {self.tokens}\n",
                f"searchjev_request_seconds_total {self.seconds:.6f}\n",
                f"searchjev_model_failures_total {self.model_failures}\n",
                f"searchjev_batches_total {batcher.batches}\n",
                f"searchjev_batched_requests_total {batcher.computed}\n",
                f"searchjev_expired_requests_total {batcher.expired}\n",
                f"searchjev_queue_depth {batcher.depth}\n",
                f"searchjev_requests_in_flight {batcher.admitted}\n",
            ]
        )


def _family(name: str, label: str, values: dict[str, int]) -> list[str]:
    return [f'searchjev_{name}{{{label}="{key}"}} {value}\n' for key, value in values.items()]
