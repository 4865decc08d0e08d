"""Downloads from a server that breaks off, lies, redirects and misses files."""

import gzip
import threading
from email.utils import formatdate
from hashlib import sha256
from pathlib import Path

import pytest

from searchjev.errors import SourceError
from searchjev.fetch import answers
from searchjev.fetch.download import Wanted, download
from searchjev.fetch.part import Part, Version
from tests.fetch.broken_server import (
    BrokenServer,
    chunked,
    closes,
    cut,
    hangs_until,
    sends,
    serving,
    states,
    status,
)

DATA = b'{"text": "a line of data"}\n' * 8000
DIGEST = sha256(DATA).hexdigest()
OTHER = DATA[::-1]
PAGE = b"\n<!DOCTYPE html>\n<html><body>Sign in</body></html>"


@pytest.fixture
def server():
    return BrokenServer({"/train.jsonl": DATA})


@pytest.fixture
def site(server):
    with serving(server) as url:
        yield url


class Fetching:
    """A file from the site into a folder; keeps the pauses instead of waiting them out."""

    def __init__(self, site: str, folder: Path):
        self.site, self.path, self.pauses = site, folder / "toy" / "train.jsonl", []

    def __call__(self, name="train.jsonl", digest=DIGEST, retries=3):
        download(Wanted(f"{self.site}/{name}", self.path, digest, "ask at home"), retries, self.pauses.append)

    def leave_part(self, data: bytes, validator: str | None = '"one"'):
        """What a run that was killed leaves behind."""
        self.path.parent.mkdir(parents=True)
        with Part(self.path).begin(Version(f"{self.site}/train.jsonl", validator)) as out:
            out.write(data)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.path.parent.iterdir())


@pytest.fixture
def fetching(site, tmp_path):
    return Fetching(site, tmp_path)


def is_whole(fetching: Fetching) -> bool:
    return fetching.names() == ["train.jsonl"] and fetching.path.read_bytes() == DATA


def test_a_file_arrives_whole_and_alone(fetching):
    fetching()
    assert is_whole(fetching) and fetching.pauses == []


def test_a_broken_download_goes_on_where_it_ended(fetching, server):
    server.faults = [cut(100_000)]
    fetching()
    assert is_whole(fetching) and fetching.pauses == [1.0]
    assert server.asked[1][1:] == ("bytes=100000-", '"one"')


def test_the_next_run_goes_on_too(fetching, server):
    server.faults = [cut(100_000)]
    with pytest.raises(SourceError, match=r"broke off after 100,000 of 216,000 bytes.*keeps 100,000 bytes"):
        fetching(retries=0)
    assert fetching.names() == ["train.jsonl.part", "train.jsonl.part.json"]
    fetching()
    assert is_whole(fetching) and server.asked[1].range == "bytes=100000-"


def test_a_server_without_ranges_starts_anew(fetching, server):
    server.knows_ranges = False
    server.faults = [cut(100_000)]
    fetching()
    assert is_whole(fetching)


def test_a_file_altered_meanwhile_starts_anew(fetching, server):
    fetching.leave_part(OTHER[:5000], '"old"')
    fetching()
    assert is_whole(fetching) and server.asked[0].if_range == '"old"'


def test_a_part_without_any_mark_is_not_gone_on_with(fetching, server):
    fetching.leave_part(OTHER[:5000], None)
    fetching(digest=None)
    assert is_whole(fetching) and server.asked[0].range is None


def test_a_part_without_mark_that_does_not_fit_the_digest_starts_anew(fetching, server):
    fetching.leave_part(OTHER[:5000], None)
    fetching()
    assert is_whole(fetching) and [asked.range for asked in server.asked] == ["bytes=5000-", None]


def test_a_part_of_another_address_starts_anew(fetching, server):
    fetching.leave_part(DATA[:5000])
    server.files["/moved.jsonl"] = DATA
    fetching("moved.jsonl")
    assert is_whole(fetching) and server.asked[0].range is None


def test_a_whole_part_is_only_named(fetching, server):
    fetching.leave_part(DATA)
    fetching()
    assert is_whole(fetching) and len(server.asked) == 1


@pytest.mark.parametrize("surplus", [b"x", DATA])
def test_a_part_longer_than_the_file_starts_anew(surplus, fetching, server):
    fetching.leave_part(DATA + surplus)
    fetching(retries=0)
    assert is_whole(fetching) and [asked.range is None for asked in server.asked] == [False, True]


def test_another_range_than_asked_for_starts_anew(fetching, server):
    fetching.leave_part(DATA[:5000])
    server.faults = [lambda handler, data: handler.reply(206, data[1:], {"Content-Range": "bytes 1-215999/216000"})]
    fetching(retries=0)
    assert is_whole(fetching)


@pytest.mark.parametrize("fault", [status(503), status(429), status(500), closes])
def test_passing_faults_are_tried_again(fault, fetching, server):
    server.faults = [fault, fault, fault]
    fetching()
    assert is_whole(fetching) and fetching.pauses == [1.0, 2.0, 4.0]


def test_retries_end(fetching, server):
    server.faults = [status(503)] * 4
    with pytest.raises(SourceError, match=r"train\.jsonl: status 503, expected the file, after 3 tries.*ask at home"):
        fetching(retries=2)
    assert len(server.asked) == 3 and fetching.names() == []


def test_a_gain_renews_patience(fetching, server):
    def some(handler, data):
        begin = int((handler.headers.get("Range") or "bytes=0-")[6:-1])
        place = {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"} if begin else {}
        handler.reply(206 if begin else 200, data[begin : begin + 10_000], place, length=len(data) - begin)

    server.faults = [some] * 5
    fetching(retries=1)
    assert is_whole(fetching) and fetching.pauses == [1.0] * 5


def test_the_server_says_how_long_to_wait(fetching, server):
    server.faults = [status(503, Retry_After="7"), status(429, Retry_After=formatdate(0)), status(429, Retry_After="?")]
    fetching()
    assert is_whole(fetching) and fetching.pauses == [7.0, 0.0, 4.0]


def test_a_server_that_asks_for_hours_is_left_alone(fetching, server):
    server.faults = [status(429, Retry_After="7200")]
    with pytest.raises(SourceError, match="it asks to wait 7200 s"):
        fetching()
    assert fetching.pauses == []


def test_a_silent_server_is_tried_again(fetching, server, monkeypatch):
    monkeypatch.setattr(answers, "TIMEOUT_S", 0.05)
    end = threading.Event()
    server.faults = [hangs_until(end, 100_000)]
    try:
        fetching()
    finally:
        end.set()
    assert is_whole(fetching) and server.asked[1].range == "bytes=100000-"


def test_a_length_beyond_the_body_is_a_break(fetching, server):
    server.knows_ranges = False
    server.faults = [states(len(DATA) + 10)] * 2
    with pytest.raises(SourceError, match="broke off after 216,000 of 216,010 bytes"):
        fetching(retries=1)
    assert "train.jsonl" not in fetching.names()


def test_a_length_short_of_the_body_is_refused(fetching, server):
    server.faults = [states(100_000)]
    with pytest.raises(SourceError, match=r"more bytes, expected 100,000 as its server says; ask at home"):
        fetching(digest=None)
    assert fetching.names() == []


def test_a_body_in_chunks_arrives(fetching, server):
    server.faults = [chunked(DATA, is_whole=True)]
    fetching(digest=None)
    assert is_whole(fetching)


def test_a_body_that_ends_between_chunks_is_a_break(fetching, server):
    server.faults = [chunked(DATA[:100_000], is_whole=False)]
    fetching(digest=None)
    assert is_whole(fetching) and len(server.asked) == 2


def test_another_file_is_refused_and_gone(fetching, server):
    server.faults = [sends(OTHER)]
    found = sha256(OTHER).hexdigest()
    with pytest.raises(SourceError, match=rf"train\.jsonl: sha256 {found}, expected {DIGEST}.*ask at home"):
        fetching()
    assert fetching.names() == []


def test_a_web_page_is_not_the_file_and_leaves_the_part(fetching, server):
    fetching.leave_part(DATA[:5000])
    server.faults = [sends(PAGE)]
    with pytest.raises(SourceError, match=r"a web page, expected train\.jsonl; ask at home"):
        fetching(digest=None)
    assert Part(fetching.path).size == 5000
    fetching()
    assert is_whole(fetching)


def test_bytes_encoded_on_the_way_are_refused(fetching, server):
    server.faults = [sends(gzip.compress(DATA), Content_Encoding="gzip")]
    with pytest.raises(SourceError, match="sent as gzip, expected the file's own bytes"):
        fetching()


def test_redirects_are_followed(fetching, server):
    server.faults = [
        status(302, Location="/store/train.jsonl"),
        cut(100_000),
        status(307, Location="/store/train.jsonl"),
    ]
    server.files["/store/train.jsonl"] = DATA
    fetching()
    assert is_whole(fetching) and server.asked[-1][:2] == ("/store/train.jsonl", "bytes=100000-")


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/train.jsonl", "file:///etc/hostname"])
def test_redirects_elsewhere_are_refused(target, fetching, server):
    server.faults = [status(302, Location=target)]
    with pytest.raises(SourceError, match=r"train\.jsonl: (redirected to ftp|status 302)"):
        fetching()
    assert fetching.names() == []


@pytest.mark.parametrize("code", [401, 403, 404, 410, 204, 206])
def test_a_status_for_good_is_not_tried_again(code, fetching, server):
    server.faults = [status(code)]
    with pytest.raises(SourceError, match=rf"/train\.jsonl: status {code}, expected .*; ask at home"):
        fetching()
    assert len(server.asked) == 1 and fetching.names() == []


def test_nobody_there(tmp_path):
    fetching = Fetching("http://127.0.0.1:9", tmp_path)
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9/train\.jsonl: .*refused.*after 2 tries"):
        fetching(retries=1)


def test_the_environment_names_the_proxy(fetching, server, monkeypatch):
    monkeypatch.setenv("http_proxy", fetching.site)
    server.files["http://data.invalid/train.jsonl"] = DATA
    download(Wanted("http://data.invalid/train.jsonl", fetching.path, DIGEST, "ask at home"))
    assert is_whole(fetching)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_named_as_such(fetching):
    fetching.path.parent.mkdir()
    part = Part(fetching.path)
    part.begin = lambda version: Path("/dev/full").open("wb")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SourceError, match=r"No space left.*make room"):
        patch.setattr("searchjev.fetch.download.Part", lambda path: part)
        fetching()
    assert fetching.pauses == [] and not fetching.path.exists()


def test_a_folder_that_is_a_file_is_named_as_such(fetching):
    fetching.path.parent.write_bytes(b"")
    with pytest.raises(SourceError, match="expected to write it"):
        fetching()
