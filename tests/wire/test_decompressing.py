"""A compressed body has its original length once it is unpacked, or is known to be incomplete."""

import gzip
import random
import zlib

import pytest

from apps.wire import transport
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import Code, Unavailable, UnexpectedAnswer
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
LETTER = b"Dear canary, " * 40_000 + random.Random(1).randbytes(100_000)
SQUEEZED = gzip.compress(LETTER, mtime=0)


def answer(body, coding="gzip"):
    return http(200, body, "application/pdf", Content_Encoding=coding)


def got(body, coding="gzip"):
    with serving(answer(body, coding)) as server, transport.session(LOOPBACK) as session:
        first, second = session.get(server.url("/1")), session.get(server.url("/2"))
        assert (first.content, server.connections) == (second.content, 1)
        return first.content, transport.is_cut(first)


def streamed(body, coding="gzip", piece_bytes=65_536):
    with serving(answer(body, coding)) as server, transport.stream(server.url(), LOOPBACK, headers={}) as stream:
        pieces = list(stream.pieces(piece_bytes=piece_bytes))
    assert all(0 < len(piece) <= piece_bytes for piece in pieces)
    return b"".join(pieces)


class TestAWholeBody:
    @pytest.mark.parametrize("coding", ["gzip", "GZIP ", "x-gzip"])
    def test_is_what_was_packed(self, coding):
        assert got(SQUEEZED, coding) == (LETTER, False)
        assert streamed(SQUEEZED, coding) == LETTER

    @pytest.mark.parametrize("level", [0, 1, 9])
    @pytest.mark.parametrize("piece_bytes", [1000, 1_048_576])
    def test_comes_in_pieces_of_any_size(self, level, piece_bytes):
        assert streamed(gzip.compress(LETTER, level), piece_bytes=piece_bytes) == LETTER

    @pytest.mark.parametrize("others", [[], [b"second"], [b"", b"third", random.Random(2).randbytes(70_000)]])
    def test_may_be_packed_in_several(self, others):
        packed = SQUEEZED + b"".join(map(gzip.compress, others))
        assert got(packed) == (LETTER + b"".join(others), False)

    @pytest.mark.parametrize("rest", [b"\n", b"\0" * 512, b"\x1f", b"none of it" * 20_000])
    def test_may_have_something_behind_it_that_nobody_reads(self, rest):
        assert got(SQUEEZED + rest) == (LETTER, False)
        assert streamed(SQUEEZED + rest) == LETTER

    def test_may_be_empty(self):
        assert got(b"") == (b"", False)
        assert streamed(b"") == b""

    @pytest.mark.parametrize(
        ("body", "coding"),
        [
            (LETTER, "identity"),
            (zlib.compress(LETTER), "deflate"),
            (gzip.compress(SQUEEZED), "gzip, gzip"),
            (LETTER, "utf-8"),
        ],
    )
    def test_of_another_coding_is_left_to_the_library(self, body, coding):
        assert got(body, coding) == (LETTER, False)


class TestABodyThatWasCut:
    @pytest.mark.parametrize("end", [1, 5, 1000, len(SQUEEZED) // 2, -9, -1])
    def test_is_told_from_a_whole_one(self, end):
        content, is_cut = got(SQUEEZED[:end])
        assert is_cut
        assert LETTER.startswith(content)

    @pytest.mark.parametrize("end", [3, 1000, len(SQUEEZED) // 2, -9, -1])
    def test_is_told_where_only_the_last_of_several_was_cut(self, end):
        content, is_cut = got(SQUEEZED + SQUEEZED[:end])
        assert is_cut
        assert (LETTER * 2).startswith(content)
        assert len(content) >= len(LETTER)
        with pytest.raises(Unavailable):
            streamed(SQUEEZED + SQUEEZED[:end])

    @pytest.mark.parametrize("end", [1, 1000, len(SQUEEZED) // 2, -1])
    def test_ends_no_stream_as_if_that_were_all(self, end):
        with pytest.raises(Unavailable) as broken:
            streamed(SQUEEZED[:end])
        assert broken.value.code is Code.UNREACHABLE


class TestABodyThatIsNotWhatItSays:
    @pytest.mark.parametrize(
        "body",
        [
            b"not gzip",
            SQUEEZED[:-8] + b"12345678",
            b"\0\0" + SQUEEZED,
            SQUEEZED + SQUEEZED[:-8] + b"12345678",
            SQUEEZED + SQUEEZED[:3] + b"none of it" * 20,
        ],
    )
    def test_is_unexpected(self, body):
        for read in (got, streamed):
            with pytest.raises(UnexpectedAnswer) as refused:
                read(body)
            assert (refused.value.code, refused.value.__context__) == (Code.UNREADABLE, None)
