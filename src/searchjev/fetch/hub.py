"""Files of a model hub by plain HTTPS: resumed where a try broke off, checked, renamed when whole."""

import contextlib
import http.client
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import IO, Any, NamedTuple

from searchjev.digest import file_sha256
from searchjev.errors import SourceError
from searchjev.fetch.bases import Base, HubFile

HUB = "https://huggingface.co"
TIMEOUT_S = 30.0


class Unreachable(SourceError):
    """The hub could not be reached, or refused the file."""


class Remote(NamedTuple):
    """What the hub says of a file: its digest (of large files only), and the commit it belongs to."""

    sha256: str | None
    commit: str


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Large files are redirected to a store; digest and commit stand only on the first answer."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def fetch_from_hub(base: Base, folder: Path, hub: str = HUB) -> list[str]:
    """Put the base's files into the folder; returns where each came from."""
    return [_fetch(base, file, folder, hub.rstrip("/")) for file in base.hub_files]


def _fetch(base: Base, file: HubFile, folder: Path, hub: str) -> str:
    url = f"{hub}/{base.repository}/resolve/main/{file.name}"
    with _answers(url):
        remote = _ask(url)
        expected = file.sha256 or remote.sha256
        part = folder / f"{file.name}.{remote.commit[:12] or 'main'}.part"
        _download(url, part)
    found = file_sha256(part)
    if expected is not None and found != expected:
        part.unlink()
        raise SourceError(
            f"{url}: sha256 {found[:12]}..., expected {expected[:12]}...; fetch again, or use --from packages"
        )
    part.rename(folder / file.name)
    return f"{url} (commit {remote.commit or 'unknown'})"


@contextlib.contextmanager
def _answers(url: str) -> Iterator[None]:
    try:
        yield
    except urllib.error.HTTPError as error:
        raise Unreachable(f"{url}: status {error.code}, expected the file; use --from packages") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise Unreachable(f"{url}: {reason}; check the connection, or use --from packages") from None


def _ask(url: str) -> Remote:
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(urllib.request.Request(url, method="HEAD"), timeout=TIMEOUT_S) as answer:
            headers = answer.headers
    except urllib.error.HTTPError as error:
        if not 300 <= error.code < 400:
            raise
        headers = error.headers
    return Remote(_linked_digest(headers), headers.get("X-Repo-Commit", ""))


def _linked_digest(headers: Message) -> str | None:
    tag = headers.get("X-Linked-ETag", "").strip('W/"')
    return tag if len(tag) == 64 else None


def _download(url: str, part: Path) -> None:
    """Append to `part` what is missing; a store that knows no ranges sends the whole again."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer: Any = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is missing
            return
        raise
    with answer, part.open("ab" if answer.status == 206 else "wb") as out:
        length = answer.headers.get("Content-Length")
        begin = out.tell()
        shutil.copyfileobj(answer, out, 1 << 20)
        if length is not None and out.tell() - begin != int(length):
            raise OSError(f"broke off after {out.tell() - begin} of {length} bytes")
