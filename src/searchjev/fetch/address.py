"""Where a declared url points: http and https as they are, hf:// through the model hub or a mirror of it."""

import urllib.parse

from searchjev.errors import SourceError
from searchjev.fetch.hub import HUB

HUB_FORM = "hf://datasets/OWNER/NAME/PATH@REVISION"
SAFE = "%/:=&?~#+!$,;'@()*[]"
"""What stays as it is in a url; spaces and letters beyond ASCII are percent-encoded."""


def address(url: str, hub: str = HUB) -> str:
    """Address to ask for the file; a scheme other than http, https and hf is refused."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "hf":
        return _of_hub(url, hub.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SourceError(f"{url}: scheme {parts.scheme!r}, expected https, http or {HUB_FORM}; mend the source's url")
    return urllib.parse.quote(url, safe=SAFE)


def suffix_of(url: str) -> str:
    """.xz or .gz where the published file is compressed so, else nothing."""
    path = urllib.parse.urlsplit(url).path
    if url.startswith("hf:"):
        path = path.rpartition("@")[0]
    return next((suffix for suffix in (".xz", ".gz") if path.endswith(suffix)), "")


def _of_hub(url: str, hub: str) -> str:
    path, _, revision = url.removeprefix("hf://").rpartition("@")
    kind, _, rest = path.partition("/")
    owner, _, rest = rest.partition("/")
    name, _, file = rest.partition("/")
    if kind != "datasets" or not (owner and name and file and revision):
        raise SourceError(f"{url}: expected {HUB_FORM}; mend the source's url")
    quoted = urllib.parse.quote(f"{owner}/{name}/resolve/{revision}/{file}")
    return f"{hub}/datasets/{quoted}"
