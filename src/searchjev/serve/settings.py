"""What a server may be told; the defaults live here and nowhere else."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from searchjev.config import Config

Count: TypeAlias = Annotated[int, Meta(ge=1)]
Seconds: TypeAlias = Annotated[float, Meta(gt=0)]

ALIASES = ("jev-latest", "searchjev-mini")


class Settings(Config, frozen=True, kw_only=True):
    """Limits and names of one server. Times are in seconds, sizes in bytes."""

    aliases: tuple[str, ...] = ALIASES
    """Names that requests may use for the served model, beside its own."""

    api_key: str | None = None
    """Key demanded as a bearer token; None: every request is served."""

    max_body_bytes: Count = 4 * 2**20
    """Largest body, as sent and after decompression."""

    max_request_tokens: Count = 65_536
    """Tokens of one request over all its questions; one question has the model's own, smaller limit."""

    max_in_flight: Count = 256
    """Requests admitted and not answered yet; more are refused at once."""

    max_wait_s: Seconds = 8.0
    """Estimated wait from which requests are refused at once: clients give up at 10 s and send again."""

    timeout_s: Seconds = 10.0
    """A request that waited this long is answered as overload and never computed."""

    body_timeout_s: Seconds = 30.0
    """Time for a body to arrive."""

    batch_requests: Count = 16
    """Requests computed together at most."""

    batch_tokens: Count = 4_096
    """Tokens computed together at most, unless one request alone has more."""

    grace_s: Seconds = 30.0
    """Time for requests in flight to end after the signal to stop."""

    keep_alive_s: Count = 75
    """Idle time of a connection; clients keep theirs for 30 s."""
