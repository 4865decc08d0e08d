"""The config of a release."""

import msgspec

from searchjev.config import Config
from searchjev.schema import BUCKETS

SHARES = dict(zip(BUCKETS, (0.40, 0.10, 0.12, 0.12, 0.08, 0.08, 0.04, 0.06), strict=True))


class ReleaseConfig(Config, frozen=True):
    """One release: its name, where files lie, and the figures of its steps.

    `previous` is the release that changes.jsonl compares with (empty: none). `rows` caps the rows of a source (others
    by `max_rows`); `max_state_tokens` leaves out rows whose state alone is longer; `shares` are the wanted shares of
    training loss by bucket.
    """

    name: str
    release_version: str
    sources: str = "sources"
    out: str = "releases/search-decisions"
    tokenizer: str = "~/.cache/searchjev/qwen3-tokenizer/tokenizer.json"
    previous: str = ""
    max_rows: int = 6_000
    rows: dict[str, int] = {}
    max_tokens: int = 6_144
    max_state_tokens: int | None = None
    negated_share: float = 0.3
    neutral_share: float = 0.2
    max_key_share: float = 0.01
    mother_cap: int = 4
    max_multiplier: float = 8.0
    selection_rows: int = 5_000
    calibration_rows: int = 2_000
    shares: dict[str, float] = msgspec.field(default_factory=lambda: dict(SHARES))
