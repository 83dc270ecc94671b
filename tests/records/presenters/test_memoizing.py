"""What occurs repeatedly is read once, and forgotten at the end."""

from decimal import Decimal

import pytest

from apps.records.presenters import codeable_concepts, elements
from apps.records.presenters.memoizing import memoized, memoizing


@pytest.fixture
def seen():
    return []


@pytest.fixture
def read(seen):
    @memoized
    def read(part):
        seen.append(part)
        return len(seen)

    return read


class TestRemembering:
    def test_reads_equal_parts_once(self, read, seen):
        with memoizing():
            assert [read({"text": "Sodium"}) for _ in range(3)] == [1, 1, 1]
        assert len(seen) == 1

    def test_forgets_at_the_end(self, read, seen):
        for _ in range(2):
            with memoizing():
                read({"text": "Sodium"})
        assert len(seen) == 2

    def test_remembers_nothing_outside(self, read, seen):
        read({"text": "Sodium"})
        read({"text": "Sodium"})
        assert len(seen) == 2

    def test_forgets_at_the_end_of_the_outer_block_alone(self, read, seen):
        with memoizing():
            with memoizing():
                read("a")
            read("a")
        assert len(seen) == 1

    def test_forgets_after_an_error(self, read, seen):
        with pytest.raises(TypeError), memoizing():
            read("a", "and one too many")
        assert not seen
        read("a")
        read("a")
        assert len(seen) == 2

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Decimal("5.10"), Decimal("5.1")),
            (Decimal("5.1"), "5.1"),
            (5, "5"),
            (1, True),
            ({"a": "b"}, [{"a": "b"}]),
            ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ],
    )
    def test_tells_apart_what_may_be_read_otherwise(self, read, one, other):
        with memoizing():
            assert read(one) != read(other)

    @pytest.mark.parametrize("odd", ["\ud800", {"a": 2**70}, {"a": [[["\udfff"]]]}])
    def test_reads_what_cannot_be_written(self, read, odd):
        with memoizing():
            assert read(odd) == 1

    def test_reads_anew_what_is_given_by_name(self, read, seen):
        with memoizing():
            read(part="a")
            read(part="b")
        assert seen == ["a", "b"]

    def test_keeps_nothing_long(self, read, seen):
        with memoizing():
            read("a" * 2000)
            read("a" * 2000)
        assert len(seen) == 2

    def test_keeps_functions_apart(self):
        concept = elements.parse(b'{"coding": [{"code": "1", "display": "Sodium"}]}')
        with memoizing():
            for _ in range(2):
                assert codeable_concepts.title_of(concept) == "Sodium"
                assert [code.code for code in codeable_concepts.codes_of(concept)] == ["1"]
