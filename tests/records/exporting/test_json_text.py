"""Which bodies can be put into a document for others byte for byte."""

import pytest

from apps.records.exporting import json_text


class TestABody:
    @pytest.mark.parametrize(
        "value",
        [
            "01", "1.", ".5", "-", "+1", "1e", "1e+", "--1", "-01", "NaN", "Infinity", "tru", "nulll", "truefalse",
            '"a\nb"', '"\x01"', '"\\x"', '"\\u12"', "1,", "1 2", "/*a*/1", "1\x00", '1}{"b":2', "[1,]", '{"a" 1}',
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("around", ["%s", "[%s]", '{"deep":[{"deeper":%s}]}'])
    def test_that_a_strict_reader_would_refuse_is_no_object(self, value, around):
        assert not json_text.is_object(b'{"value":' + (around % value).encode() + b"}")

    @pytest.mark.parametrize("value", ['1,"value":2', "1e400", '"\\u0000\\/"', "-0.0"])
    def test_with_a_name_said_twice_or_an_odd_spelling_is_one(self, value):
        assert json_text.is_object(b'{"value":' + value.encode() + b"}")
