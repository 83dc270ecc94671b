"""When something was, in words, with its clock times."""

import pytest

from apps.records.presenters.moments import When
from apps.records.viewing import whens


def said(starts: str, ends: str) -> str:
    return whens.in_full(When(starts=starts, ends=ends)).replace("\N{NO-BREAK SPACE}", " ")


class TestAPeriod:
    def test_of_one_day_says_the_day_once(self):
        assert said("2026-08-18T08:30:00-07:00", "2026-08-18T09:00:00-07:00") == "August 18, 2026, 8:30 a.m. to 9 a.m."

    @pytest.mark.parametrize(
        ("starts", "ends", "words"),
        [
            (
                "2026-08-18T23:30:00-07:00",
                "2026-08-19T01:00:00-07:00",
                "August 18, 2026, 11:30 p.m. to August 19, 2026, 1 a.m.",
            ),
            ("2026-08-18", "2026-08-18T09:00:00-07:00", "August 18, 2026 to August 18, 2026, 9 a.m."),
            ("2026-08-18T09:00:00-07:00", "2026-08-18T09:00:30-07:00", "August 18, 2026, 9 a.m."),
            ("2026-08-18T09:00:00-07:00", "", "August 18, 2026, 9 a.m."),
            ("2026-08-18", "2026-08-18", "August 18, 2026"),
        ],
    )
    def test_of_another_kind_says_both_its_ends_or_its_one(self, starts, ends, words):
        assert said(starts, ends) == words
