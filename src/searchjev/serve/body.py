"""The bytes of a request: read up to a cap, decompressed up to the same cap."""

import asyncio
import zlib
from collections.abc import Callable

import zstandard
from starlette.requests import ClientDisconnect, Request

from searchjev.serve.failure import Failure

CODINGS = "zstd, gzip, deflate, identity"
DRAINED = 4
"""A body too large is read up to this many caps, so that the client sends to its end and reads the answer."""


async def read_body(request: Request, cap: int, timeout_s: float) -> bytes:
    """Decoded body; Failure 413 over `cap` bytes, 415 for an unknown coding, 400 for a damaged one, 408 if late."""
    try:
        async with asyncio.timeout(timeout_s):
            encoded = await _read(request, cap)
    except TimeoutError:
        message = f"the body did not arrive within {timeout_s:g} s; send it again"
        raise Failure(408, "request_timeout", message, headers={"connection": "close"}) from None
    codings = request.headers.get("content-encoding", "").lower().split(",")
    for coding in reversed([coding.strip() for coding in codings]):
        encoded = _decoded(encoded, coding, cap)
    return encoded


async def _read(request: Request, cap: int) -> bytes:
    chunks, size = [], 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size <= cap:
                chunks.append(chunk)
            elif size > DRAINED * cap:
                break
    except ClientDisconnect:
        raise Failure(400, "invalid_request_error", "the body ended early; send it again") from None
    if size > cap:
        raise _too_large(cap)
    return b"".join(chunks)


def _decoded(data: bytes, coding: str, cap: int) -> bytes:
    if coding in ("", "identity"):
        return data
    decode = _DECODERS.get(coding)
    if decode is None:
        message = f"content-encoding {coding[:40]!r}, expected one of {CODINGS}"
        raise Failure(415, "unsupported_media_type", message, headers={"accept-encoding": CODINGS})
    try:
        return decode(data, cap)
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        raise Failure(400, "invalid_request_error", f"the body is no valid {coding}: {error}") from None


def _zstd(data: bytes, cap: int) -> bytes:
    decoder = zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
    # decompressobj has no cap of its own: fed in small pieces, so that a bomb is noticed after one
    out, size = [], 0
    for begin in range(0, len(data), 1024):
        out.append(decoder.decompress(data[begin : begin + 1024]))
        size += len(out[-1])
        if size > cap:
            raise _too_large(cap)
    if not decoder.eof:
        raise EOFError("it ends early")
    return b"".join(out)


def _zlib(window_bits: int) -> Callable[[bytes, int], bytes]:
    def decode(data: bytes, cap: int) -> bytes:
        decoder = zlib.decompressobj(window_bits)
        out = decoder.decompress(data, cap + 1)
        if len(out) > cap:
            raise _too_large(cap)
        if not decoder.eof:
            raise EOFError("it ends early")
        return out

    return decode


def _deflate(data: bytes, cap: int) -> bytes:
    """HTTP's deflate is zlib; some clients send it without zlib's header."""
    try:
        return _zlib(zlib.MAX_WBITS)(data, cap)
    except zlib.error:
        return _zlib(-zlib.MAX_WBITS)(data, cap)


def _too_large(cap: int) -> Failure:
    message = f"body: more than {cap:,} bytes; send a smaller state or fewer questions"
    return Failure(413, "request_too_large", message, limit=cap, headers={"connection": "close"})


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _zlib(16 + zlib.MAX_WBITS),
    "x-gzip": _zlib(16 + zlib.MAX_WBITS),
    "deflate": _deflate,
    "zstd": _zstd,
}
