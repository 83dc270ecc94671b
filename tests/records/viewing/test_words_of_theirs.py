"""A provider's words within a line of ours are found as they were sent, whatever was sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.viewing.wording import languages
from tests.effort import at_most


class TestTheWordsOfAProvider:
    @pytest.mark.parametrize(
        ("line", "words", "theirs"),
        [
            ("Dieta sana", {"Dieta sana", "Dieta"}, ["Dieta sana"]),
            ("Severe: tos seca; tos", {"tos", "tos seca"}, ["tos seca", "tos"]),
            ("Costs, tosca, tos_a", {"tos"}, []),
            ("(tos)", {"tos", "(tos"}, ["(tos"]),
            ("Mild", {"tos"}, []),
            ("", {"tos"}, []),
        ],
    )
    def test_are_found_whole_and_of_several_the_longest(self, line, words, theirs):
        assert [part for part, own in languages.parted(line, frozenset(words)) if own] == theirs

    @given(st.text("ab ;", max_size=30), st.frozensets(st.text("ab ;", min_size=1, max_size=4)))
    def test_leave_every_line_as_it_was(self, line, words):
        assert "".join(part for part, _own in languages.parted(line, words)) == line

    def test_made_to_hurt_are_looked_for_in_one_pass_each(self):
        with at_most(million_steps=250):
            alike = frozenset("a " * number + "b" for number in range(2000))
            assert any(own for _part, own in languages.parted("a " * 5_000 + "b; " + "a " * 2_000, alike))
