"""Compressed and large bodies."""

import gzip
import http.client
import json
import zlib
from urllib.parse import urlsplit

import pytest
import zstandard

from searchjev.serve.settings import Settings
from tests.serve.client import NOUL, ask, post
from tests.serve.fake import FakeEngine
from tests.serve.live import live

PLAIN = json.dumps(ask("some words " * 200, q=NOUL)).encode()
CAP = 100_000


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


def streamed_zstd(data: bytes) -> bytes:
    """Frame without its size in the header."""
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return compressor.compress(data) + compressor.flush()


CODINGS = [
    ("gzip", gzip.compress),
    ("GZip", gzip.compress),
    ("zstd", zstandard.compress),
    ("zstd", streamed_zstd),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("identity", bytes),
    ("gzip, zstd", lambda data: zstandard.compress(gzip.compress(data))),
]


@pytest.fixture(scope="module")
def small():
    with live(FakeEngine(), Settings(max_body_bytes=CAP)) as server:
        yield server.url


@pytest.mark.parametrize(("coding", "encode"), CODINGS)
def test_codings(small, coding, encode):
    plain, coded = post(small, PLAIN), post(small, encode(PLAIN), {"Content-Encoding": coding})
    assert coded.status == 200
    assert coded.json == plain.json


@pytest.mark.parametrize("coding", ["br", "compress", "x" * 1000])
def test_an_unknown_coding(small, coding):
    reply = post(small, PLAIN, {"Content-Encoding": coding})
    assert reply.status == 415
    assert "zstd, gzip, deflate" in reply.json["detail"]["message"]


@pytest.mark.parametrize(("coding", "encode"), CODINGS[:6])
@pytest.mark.parametrize("damage", [lambda data: b"\x1fxxxx", lambda data: data[:-9], lambda data: b""])
def test_a_damaged_body(small, coding, encode, damage):
    reply = post(small, damage(encode(PLAIN)), {"Content-Encoding": coding})
    assert reply.status == 400
    assert reply.json["detail"]["error_type"] == "invalid_request_error"


@pytest.mark.parametrize(("coding", "encode"), CODINGS[:6])
def test_a_bomb(small, coding, encode):
    bomb = encode(b" " * 50_000_000)
    assert len(bomb) < CAP
    reply = post(small, bomb, {"Content-Encoding": coding})
    assert reply.status == 413
    assert reply.json["detail"]["limit"] == CAP


def test_a_large_body(small):
    reply = post(small, b" " * (CAP + 1))
    assert reply.status == 413
    assert reply.json["detail"]["error_type"] == "request_too_large"


def test_a_body_of_the_cap_is_read(small):
    padded = PLAIN + b" " * (CAP - len(PLAIN))
    assert post(small, padded).status == 200
    assert post(small, zstandard.compress(padded), {"Content-Encoding": "zstd"}).status == 200


def test_a_body_that_does_not_come():
    with live(FakeEngine(), Settings(body_timeout_s=0.1)) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)
        connection.putrequest("POST", "/v1/systemone")
        connection.putheader("Content-Length", "100")
        connection.endheaders(b"{")
        assert connection.getresponse().status == 408
        connection.close()
