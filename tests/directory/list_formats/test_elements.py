"""Reading a file element by element, even if it is larger than memory, or not what it claims to be."""

import contextlib
import gzip
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.directory.list_formats import elements
from apps.directory.list_formats.elements import OPENED, Broken, Piece, walk

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def pieces(content: bytes) -> list[Piece]:
    return list(walk(io.BytesIO(content)))


def elements_of(content: bytes) -> list[object]:
    return [piece.value for piece in pieces(content) if piece.number]


class TestAFile:
    def test_is_walked_member_by_member(self):
        assert pieces(b'{"a": 1, "rows": [{"b": []}, 2], "empty": []}') == [
            Piece("a", 0, 1),
            Piece("rows", 0, OPENED),
            Piece("rows", 1, {"b": []}),
            Piece("rows", 2, 2),
            Piece("empty", 0, OPENED),
        ]

    @given(st.lists(json_values, max_size=8))
    def test_has_the_elements_that_json_finds(self, rows):
        assert elements_of(json.dumps(rows).encode()) == rows

    @pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
    def test_is_the_same_however_it_is_cut_into_chunks(self, monkeypatch, chunk):
        monkeypatch.setattr(elements, "_CHUNK", chunk)
        rows = [1234567, {'é\\"': "😀 \\u00e9", "deep": [[[{"x": -1.5e3}]]]}, "", None, True, [], 12]
        for text in (json.dumps(rows), json.dumps(rows, ensure_ascii=False), json.dumps(rows, indent=3)):
            assert elements_of(text.encode()) == rows

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    def test_may_be_in_any_encoding_of_unicode(self, encoding):
        assert elements_of('["Zürich"]'.encode(encoding)) == ["Zürich"]

    def test_may_be_packed_whatever_it_is_called(self):
        assert elements_of(gzip.compress(b"[1, 2]")) == [1, 2]

    def test_may_hold_nul_and_half_a_character(self):
        assert elements_of(b'["\\u0000\\ud83d", "a\x00b"]') == ["\0\ud83d", "a\0b"]


class TestAFileThatIsNone:
    @pytest.mark.parametrize(
        "content",
        [b"", b" ", b"<html>", b"[1", b"[1,", b"[1 2]", b"[1,]", b'{"a"', b'{"a":', b'{"a" 1}', b"{1: 2}", b"[1]x",
         b"]",
         b'["\xff\xfe"]', b"[" * 100_000, b'{"a":' * 100_000, b'["' + b"a" * 100,
         gzip.compress(b"[1, 2]", mtime=0)[:-9],
         gzip.compress(b"[1, 2]" * 9, mtime=0)[:12] + b"\0" * 40, b"\x1f\x8b", b"[nul]", b"7", b'"text"'],
    )  # fmt: skip
    def test_is_broken_and_says_why(self, content):
        with pytest.raises(Broken, match="it "):
            pieces(content)

    @given(st.binary(max_size=200))
    def test_is_broken_whatever_it_holds(self, content):
        with contextlib.suppress(Broken):
            pieces(content)

    @settings(max_examples=50)
    @given(st.lists(json_values, min_size=1, max_size=5), st.data())
    def test_is_broken_where_it_was_cut(self, rows, data):
        whole = json.dumps(rows).encode()
        with pytest.raises(Broken):
            pieces(whole[: data.draw(st.integers(0, len(whole) - 1))])


class TestAnElement:
    def test_that_is_too_long_is_skipped_and_the_next_is_read(self, monkeypatch):
        monkeypatch.setattr(elements, "LONGEST_ROW", 1000)
        monkeypatch.setattr(elements, "_CHUNK", 256)
        giants = ["x" * 5000, {"a": ['}"]' * 2000]}, [[1, [2]]] * 900, {"b": "\\" * 3000}, '\\"' * 2000]
        for giant in giants:
            read = elements_of(json.dumps([1, giant, {"ok": "]"}]).encode())
            assert read == [1, elements.TOO_LONG, {"ok": "]"}]

    def test_that_is_nested_too_deeply_is_skipped_and_the_next_is_read(self):
        deep = b"[" * 90_000 + b"]" * 90_000
        assert elements_of(b"[1, " + deep + b", 2]") == [1, elements.TOO_DEEP, 2]

    def test_that_is_a_number_of_too_many_digits_is_skipped_and_the_next_is_read(self):
        assert elements_of(b"[1, " + b"9" * 5000 + b", 2, {}]") == [1, elements.TOO_LARGE_A_NUMBER, 2, {}]
