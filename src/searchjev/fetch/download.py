"""One published file by HTTP or HTTPS: resumed where a try broke off, checked, renamed when whole.

Proxies and certificates are those of the environment (https_proxy, no_proxy, SSL_CERT_FILE).
"""

import contextlib
import http.client
import logging
import re
import time
import urllib.error
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from searchjev.errors import SourceError
from searchjev.fetch.answers import Broken, opened, pieces, sends_more
from searchjev.fetch.kinds import HEAD_BYTES, unlike
from searchjev.fetch.part import Part, Version
from searchjev.progress import progress

RETRIES = 4
LONGEST_WAIT_S = 60.0
LONGEST_ASKED_S = 600.0
"""A server that asks for more patience than this is left for a later run."""

MIB = 1 << 20

log = logging.getLogger(__name__)


class Wanted(NamedTuple):
    """One file: its address, where it goes, its digest if declared, and what a person does where it can't be had."""

    url: str
    path: Path
    sha256: str | None
    advice: str


def download(wanted: Wanted, retries: int = RETRIES, wait: Callable[[float], None] = time.sleep) -> None:
    """Put the file at its path; `retries` is how often in a row a try may break off without a gain."""
    part = Part(wanted.path)
    with _disk(wanted, part):
        wanted.path.parent.mkdir(parents=True, exist_ok=True)
        _persist(wanted, part, retries, wait)
        if part.is_resumed and wanted.sha256 not in (None, part.sha256()):
            log.info("%s: what an earlier try left doesn't fit; starting anew", wanted.path)
            part.drop()
            _persist(wanted, part, retries, wait)
        _check(wanted, part)
        part.finish()


@contextlib.contextmanager
def _disk(wanted: Wanted, part: Part) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(
            f"{wanted.path}: {reason}, expected to write it; make room or mend the folder and fetch again: "
            f"{part.path.name} keeps what has come"
        ) from None


def _check(wanted: Wanted, part: Part) -> None:
    if wanted.sha256 is None:
        return
    found = part.sha256()
    if found != wanted.sha256:
        part.drop()
        raise SourceError(
            f"{wanted.path}: sha256 {found}, expected {wanted.sha256}, from {wanted.url}; "
            f"fetch again; if it stays so, the publisher has changed the file: {wanted.advice}"
        )


def _persist(wanted: Wanted, part: Part, retries: int, wait: Callable[[float], None]) -> None:
    failed, most = 0, part.size
    while True:
        try:
            return _try(wanted, part)
        except Broken as broken:
            failed = 1 if part.size > most else failed + 1
            most = max(most, part.size)
            pause = broken.wait_s if broken.wait_s is not None else min(2.0 ** (failed - 1), LONGEST_WAIT_S)
            if failed > retries or pause > LONGEST_ASKED_S:
                raise SourceError(_given_up(wanted, part, broken, failed)) from None
            log.info("%s: %s; again in %.0f s", wanted.url, broken, pause)
            wait(pause)


def _given_up(wanted: Wanted, part: Part, broken: Broken, failed: int) -> str:
    later = "fetch again later" if broken.wait_s is None else f"it asks to wait {broken.wait_s:.0f} s: fetch again then"
    kept = f" ({part.path} keeps {part.size:,} bytes)" if part.size else ""
    return f"{wanted.url}: {broken}, expected the file, after {failed} tries; {later}{kept}, or {wanted.advice}"


def _try(wanted: Wanted, part: Part) -> None:
    """One request and what it brings; returns when the part is whole."""
    begin = _resume_at(wanted, part)
    try:
        answer = opened(wanted.url, _range(part, begin))
    except urllib.error.HTTPError as error:
        if error.code != 416 or not begin:
            raise SourceError(f"{wanted.url}: status {error.code}, expected the file; {wanted.advice}") from None
        part.is_resumed = True
        if error.headers.get("Content-Range", "").strip() != f"bytes */{begin}":
            _anew(wanted, part)
        return
    with answer:
        _refuse_encoded(wanted, answer)
        if answer.status == 206 and begin:
            _go_on(wanted, part, answer, begin)
        elif answer.status == 200:
            _begin(wanted, part, answer)
        else:
            raise SourceError(f"{wanted.url}: status {answer.status}, expected 200; {wanted.advice}")


def _anew(wanted: Wanted, part: Part) -> None:
    """What has come is not of the version that the server has now."""
    part.drop()
    _try(wanted, part)


def _resume_at(wanted: Wanted, part: Part) -> int:
    """Bytes to keep: only where a mark of the version, or at last the digest, tells an altered file."""
    version = part.version()
    if version is None or version.url != wanted.url or not (version.validator or wanted.sha256):
        return 0
    return part.size


def _range(part: Part, begin: int) -> dict[str, str]:
    version = part.version()
    if not begin or version is None:
        return {}
    mark = {"If-Range": version.validator} if version.validator else {}
    return {"Range": f"bytes={begin}-", **mark}


def _refuse_encoded(wanted: Wanted, answer: http.client.HTTPResponse) -> None:
    encoding = answer.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise SourceError(f"{wanted.url}: sent as {encoding}, expected the file's own bytes; {wanted.advice}")


def _go_on(wanted: Wanted, part: Part, answer: http.client.HTTPResponse, begin: int) -> None:
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", "").strip())
    if found is None or int(found[1]) != begin:
        _anew(wanted, part)
        return
    stated = answer.length
    with part.go_on() as out:
        for _ in _report(wanted, _written(pieces(answer, wanted.url), out.write), stated):
            pass
    whole = None if found[2] == "*" else int(found[2])
    _refuse_other_length(wanted, part, answer, whole)


def _begin(wanted: Wanted, part: Part, answer: http.client.HTTPResponse) -> None:
    """A whole file from its first byte; an error page in its place leaves the part as it was."""
    stated = answer.length
    coming = pieces(answer, wanted.url)
    head = b""
    while len(head) < HEAD_BYTES and (piece := next(coming, b"")):
        head += piece
    strange = unlike(head, wanted.path.name)
    if strange is not None:
        raise SourceError(f"{wanted.url}: {strange}, expected {wanted.path.name}; {wanted.advice}")
    with part.begin(Version(wanted.url, _validator(answer))) as out:
        out.write(head)
        for _ in _report(wanted, _written(coming, out.write), stated):
            pass
    _refuse_other_length(wanted, part, answer, stated)


def _validator(answer: http.client.HTTPResponse) -> str | None:
    tag = answer.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified")


def _written(coming: Iterator[bytes], write: Callable[[bytes], int]) -> Iterator[int]:
    """Write the pieces as they come; yields once for every MiB."""
    came = 0
    for piece in coming:
        write(piece)
        came += len(piece)
        while came >= MIB:
            came -= MIB
            yield MIB


def _report(wanted: Wanted, mebibytes: Iterator[int], stated: int | None) -> Iterator[int]:
    return progress(mebibytes, f"{wanted.path.name}, MiB", stated // MIB if stated else None)


def _refuse_other_length(wanted: Wanted, part: Part, answer: http.client.HTTPResponse, whole: int | None) -> None:
    more = sends_more(answer)
    if more or whole not in (None, part.size):
        found = "more" if more else f"{part.size:,}"
        part.drop()
        raise SourceError(f"{wanted.url}: {found} bytes, expected {whole or 0:,} as its server says; {wanted.advice}")
