"""What a server sends in place of a file, told by its first bytes: error pages, archives, pointers to large files."""

HEAD_BYTES = 512
SIGNS = (
    (b"PK\x03\x04", "a zip archive", ".zip"),
    (b"\x1f\x8b", "gzip data", ".gz"),
    (b"\xfd7zXZ\x00", "xz data", ".xz"),
    (b"version https://git-lfs", "a Git LFS pointer", ""),
)


def unlike(head: bytes, name: str) -> str | None:
    """What the first bytes show, where that can't be the file of that name; None where they may be."""
    if not head:
        return "nothing"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html")) and not name.endswith((".html", ".htm")):
        return "a web page"
    for sign, what, suffix in SIGNS:
        if head.startswith(sign) and not (suffix and name.endswith(suffix)):
            return what
        if suffix and name.endswith(suffix) and not head.startswith(sign):
            return f"data that is not {what}"
    return None
