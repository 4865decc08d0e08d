"""Where a url points, and what comes in place of a file."""

import pytest

from searchjev.errors import SourceError
from searchjev.fetch.address import address, suffix_of
from searchjev.fetch.kinds import unlike


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://example.org/a b/查询.tsv?x=1", "https://example.org/a%20b/%E6%9F%A5%E8%AF%A2.tsv?x=1"),
        ("hf://datasets/a/b/data/train.jsonl@c0ffee", "http://hub/datasets/a/b/resolve/c0ffee/data/train.jsonl"),
    ],
)
def test_addresses(url, asked):
    assert address(url, "http://hub/") == asked


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/a", "file:///etc/hostname", "train.jsonl", "https:///a", "hf://datasets/a/b/train.jsonl",
     "hf://datasets/a/train.jsonl@main", "hf://models/a/b/train.jsonl@main", "hf://datasets/a/b@main"],
)  # fmt: skip
def test_other_addresses_are_refused(url):
    with pytest.raises(SourceError, match="expected .*hf://datasets/OWNER/NAME/PATH@REVISION; mend"):
        address(url)


def test_how_a_published_file_is_compressed():
    urls = ("https://a.org/t.jsonl.gz?download=1", "hf://datasets/a/b/t.csv.xz@main", "https://a.org/t?f=a.gz")
    assert [suffix_of(url) for url in urls] == [".gz", ".xz", ""]


@pytest.mark.parametrize(
    ("head", "name", "what"),
    [
        (b"<html lang='en'>", "a.csv", "a web page"),
        (b"\xef\xbb\xbf <!doctype HTML>", "a.json", "a web page"),
        (b"<!doctype html>", "block.html", None),
        (b"<item>", "a.xml", None),
        (b"", "a.json", "nothing"),
        (b"PK\x03\x04", "a.json", "a zip archive"),
        (b"\x1f\x8b\x08", "a.json", "gzip data"),
        (b"\x1f\x8b\x08", "a.json.gz", None),
        (b"plain", "a.json.xz", "data that is not xz data"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a.json", "a Git LFS pointer"),
        (b"text,label", "a.csv", None),
    ],
)
def test_the_first_bytes_tell_what_is_no_file(head, name, what):
    assert unlike(head, name) == what
