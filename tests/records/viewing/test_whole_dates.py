"""No line on pages of a record ends within a date."""

import re

import pytest

from apps.records.templatetags.whole_dates import dates_whole, dots_kept
from tests.effort import at_most


def held(text):
    return re.findall(r'<span class="whole">(.*?)</span>', dates_whole(text))


class TestADate:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("Collected September 30, 2026", ["September 30, 2026"]),
            ("Since March 2019", ["March 2019"]),
            ("March 4 to 9, 2019", ["March 4"]),
            ("March 4, 2019, 2:05 p.m. to 3 p.m.", ["March 4, 2019,", "2:05 p.m.", "3 p.m."]),
            ("Latest: 6.1 % on September 1, 2026. Above it", ["September 1, 2026."]),
            ("Medición 30 de septiembre de 2026", ["30 de septiembre de 2026"]),
            ("Desde marzo de 2019, 2:05 p. m.", ["marzo de 2019,", "2:05 p. m."]),
            ("today at 11:35\u00a0a.m.\u00a0UTC.", ["11:35\u00a0a.m.\u00a0UTC."]),
            ("at 9 a.m. INR", ["9 a.m."]),
            ("10 milligrams, 2 tablets", []),
            ("Marching 4 miles", []),
        ],
    )
    def test_is_held_together(self, text, parts):
        assert held(text) == parts

    def test_leaves_the_words_as_they_were(self):
        text = "Collected September 30, 2026, 8:20 a.m. · Harbor"
        assert re.sub("<[^>]+>", "", dates_whole(text)) == text

    def test_is_no_way_to_write_markup(self):
        assert "<b>" not in dates_whole("<b>May 3, 2026</b>")
        assert "<b>" not in dates_whole("<b>nothing of a date</b>")


class TestADotBetweenTwoParts:
    def test_stays_on_the_line_of_the_part_before_it(self):
        assert dots_kept("From <b>Harbor</b> ·\n  checked") == "From <b>Harbor</b>\u00a0·\n  checked"
        assert dots_kept("5 m · 6 m · 7") == "5 m\u00a0· 6 m\u00a0· 7"

    def test_is_looked_for_in_one_pass(self):
        with at_most(million_steps=250):
            assert dots_kept(" " * 100_000 + "x ·\ny") == " " * 100_000 + "x\u00a0·\ny"

    def test_is_none_within_a_word(self):
        assert dots_kept("paral·lel 5·10 <a> b") == "paral·lel 5·10 <a> b"
