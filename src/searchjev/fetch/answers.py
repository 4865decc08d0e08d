"""Requests and their bodies: a `Broken` may be tried again, a SourceError is for good."""

import contextlib
import email.utils
import http.client
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import IO

from searchjev.errors import SourceError

TIMEOUT_S = 30.0
CHUNK = 1 << 16
PASSING = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524}
"""Statuses that another try may change."""


class Broken(Exception):
    """A try that may succeed when repeated; `wait_s` is what the server asks for."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only, and never from https back to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            raise SourceError(
                f"{req.full_url}: redirected to {scheme}, expected https; open it in a browser and fetch by hand"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def opened(url: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
    """Answer of a GET after its redirects; HTTPError where its status is for good."""
    request = urllib.request.Request(url, headers={"User-Agent": "searchjev", "Accept-Encoding": "identity", **headers})
    opener = urllib.request.build_opener(_Redirects)
    try:
        with connection(url):
            answer: http.client.HTTPResponse = opener.open(request, timeout=TIMEOUT_S)
            return answer
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in PASSING:
            raise Broken(f"status {error.code}", retry_after(error.headers.get("Retry-After"))) from None
        raise


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date; None where it holds neither."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


@contextlib.contextmanager
def connection(url: str) -> Iterator[None]:
    """Faults of the network as Broken; what no repetition mends as SourceError."""
    try:
        yield
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise SourceError(
                f"{url}: certificate: {reason.verify_message}, expected one that is trusted here; "
                "name your authorities' file in SSL_CERT_FILE"
            ) from None
        if isinstance(reason, TimeoutError):
            reason = f"silent for {TIMEOUT_S:g} s"
        raise Broken(str(reason) or type(reason).__name__) from None


def pieces(answer: http.client.HTTPResponse, url: str) -> Iterator[bytes]:
    """The body as it comes; one that ends before the stated length is Broken."""
    stated, came = answer.length, 0
    if stated is not None:
        answer.length = (
            stated + 1
        )  # else the connection is closed at the stated end, and what lies behind is never seen
    while stated is None or came < stated:
        with connection(url):
            piece = answer.read1(CHUNK if stated is None else min(CHUNK, stated - came))
        if not piece:
            break
        came += len(piece)
        yield piece
    if stated is not None and came < stated:
        raise Broken(f"broke off after {came:,} of {stated:,} bytes")


def sends_more(answer: http.client.HTTPResponse) -> bool:
    """Whether bytes follow the stated end; a connection that stays open can't tell and counts as no."""
    if answer.length is None or not answer.will_close or answer.isclosed():
        return False
    answer.length = 1
    with contextlib.suppress(OSError, http.client.HTTPException):
        return bool(answer.read1(1))
    return False
