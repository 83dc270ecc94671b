"""A time is shown with its zone, even if the zone has no abbreviation."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from apps.connections.presenting import moments

AT = datetime(2026, 5, 3, 9, 40, tzinfo=UTC)


def glued(clock: str) -> str:
    """No line ends within it."""
    return clock.replace(" ", "\N{NO-BREAK SPACE}")


class TestAMoment:
    @pytest.mark.parametrize(
        ("zone", "said"),
        [
            ("UTC", "9:40 a.m. UTC"),
            ("America/Denver", "3:40 a.m. MDT"),
            ("America/Sao_Paulo", "6:40 a.m. UTC-3"),
            ("Pacific/Kiritimati", "11:40 p.m. UTC+14"),
            ("Asia/Kathmandu", "3:25 p.m. UTC+5:45"),
        ],
    )
    def test_names_its_zone_so_that_everybody_knows_it(self, zone, said):
        with timezone.override(zone):
            assert moments.moment(AT) == f"May 3, 2026, {glued(said)}"

    def test_that_is_to_come_does_so_too(self):
        with timezone.override("Pacific/Kiritimati"):
            assert moments.until(AT, at=AT) == f"{glued('11:40 p.m. UTC+14')} today"
