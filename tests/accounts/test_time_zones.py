"""Pages name time zones in a way that everybody understands, even if the tz database has no abbreviation."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from apps.connections.presenting import moments
from apps.directory import key_outlook
from apps.records.presenters.datatypes import dates

AT = datetime(2026, 5, 3, 9, 40, tzinfo=UTC)
LETTER = Template("{% load pages %}{{ at|date:'DATETIME_FORMAT' }} ({{ at|zone_name }})")
ZONES = [
    ("UTC", "UTC"),
    ("America/Denver", "MDT"),
    ("America/Sao_Paulo", "UTC-3"),
    ("Pacific/Kiritimati", "UTC+14"),
    ("Asia/Kathmandu", "UTC+5:45"),
]


def _in_a_letter(moment: datetime) -> str:
    return LETTER.render(Context({"at": moment})).rstrip(")")


class TestAZone:
    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize(("zone", "said"), ZONES)
    @pytest.mark.parametrize(
        "tell",
        [moments.moment, key_outlook.moment, dates.time_of_day, _in_a_letter],
        ids=["of a connection", "of a key", "of a record", "in a letter"],
    )
    def test_is_told_by_a_name_everybody_knows(
        self, language: str, zone: str, said: str, tell: Callable[[datetime], str]
    ):
        with timezone.override(zone), translation.override(language):
            assert tell(AT).replace("(", "").split()[-1] == said

    @pytest.mark.parametrize("tell", [moments.moment, dates.time_of_day, _in_a_letter])
    @pytest.mark.parametrize(("hour", "said"), [(7, "MDT"), (8, "MST")])
    def test_is_told_in_the_hour_that_a_clock_shows_twice(self, hour: int, said: str, tell: Callable[[datetime], str]):
        with timezone.override("America/Denver"):
            told = tell(datetime(2026, 11, 1, hour, 30, tzinfo=UTC))
        assert "1:30" in told
        assert told.replace("(", "").split()[-1] == said


class TestATime:
    @pytest.mark.parametrize(
        ("language", "said"),
        [
            ("en", ("May 3, 2026, 11:40 p.m. UTC+14", "May 3, 2026, 11:40 p.m. UTC+14", "11:40 p.m. UTC+14")),
            (
                "es",
                (
                    "3 de mayo de 2026, 11:40 p. m. UTC+14",
                    "3 de mayo de 2026, 11:40 p. m. UTC+14",
                    "11:40 p. m. UTC+14",
                ),
            ),
        ],
    )
    def test_is_written_as_its_language_writes_it(self, language: str, said: tuple[str, ...]):
        with timezone.override("Pacific/Kiritimati"), translation.override(language):
            told = (moments.moment(AT), key_outlook.moment(AT), dates.time_of_day(AT))
            assert " " not in told[-1]  # no line ends within it
            assert all(one.endswith(told[-1]) for one in told)
            assert tuple(one.replace("\N{NO-BREAK SPACE}", " ") for one in told) == said
