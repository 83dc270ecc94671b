"""Counting resources in chunks that may end anywhere."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.wire.bulk.counting_lines import LineCounter
from apps.wire.errors import Code, UnexpectedAnswer

RESOURCES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=12), max_size=3), max_size=12)
BREAKS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n", b"\n \r\n"])


def count(*pieces, **limits):
    counter = LineCounter(**limits)
    for piece in pieces:
        counter.feed(piece)
    return counter.finish()


def cut(text, places):
    ends = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(ends)]


class TestALineCounter:
    @given(RESOURCES, st.data(), st.lists(st.integers(0, 10_000), max_size=8))
    def test_counts_the_same_wherever_the_pieces_end(self, resources, data, places):
        text = b"".join(json.dumps(one).encode() + data.draw(BREAKS) for one in resources)
        if data.draw(st.booleans()):
            text = text.rstrip()
        assert count(*cut(text, places)) == len(resources)

    @given(RESOURCES, st.integers(0, 50), st.sampled_from([b"[1]", b"<p>", b"null", b'{"a": 1', b"}{", b'"{}"']))
    def test_refuses_one_line_that_is_no_object_wherever_it_stands(self, resources, place, odd):
        lines = [json.dumps(one).encode() for one in resources]
        lines.insert(place % (len(lines) + 1), odd)
        for pieces in ([b"\n".join(lines)], [line + b"\n" for line in lines], cut(b"\n".join(lines), [place, 7, 3])):
            with pytest.raises(UnexpectedAnswer) as refused:
                count(*pieces)
            assert refused.value.code is Code.UNREADABLE

    def test_counts_nothing_in_nothing(self):
        assert count() == count(b"") == count(b"\n\n") == 0

    @pytest.mark.parametrize("piece_bytes", [1, 7, 1000])
    def test_refuses_a_line_that_never_ends(self, piece_bytes):
        with pytest.raises(UnexpectedAnswer) as refused:
            count(*[b"{" + b"x" * piece_bytes] * 2000, longest_line_bytes=50)
        assert refused.value.code is Code.TOO_LARGE

    @pytest.mark.parametrize("before", [b"", b'{"a": 1}\n', b'{"a": 1}\n{"a": 2}\n'])
    def test_refuses_a_line_too_long_between_others(self, before):
        long = b'{"a": "' + b"x" * 60 + b'"}\n'
        assert count(before + long + before, longest_line_bytes=70) == 2 * before.count(b"\n") + 1
        with pytest.raises(UnexpectedAnswer):
            count(before + long + before, longest_line_bytes=60)

    def test_refuses_half_a_resource_at_the_end(self):
        with pytest.raises(UnexpectedAnswer):
            count(b'{"id": "1"}\n{"id": "2", "na')
