"""A moment is told with its zone, also where the zone has no name of its own."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from apps.connections.presenting import moments

AT = datetime(2026, 5, 3, 9, 40, tzinfo=UTC)


class TestAMoment:
    @pytest.mark.parametrize(
        ("zone", "said"),
        [
            ("UTC", "May 3, 2026, 9:40 a.m. UTC"),
            ("America/Denver", "May 3, 2026, 3:40 a.m. MDT"),
            ("America/Sao_Paulo", "May 3, 2026, 6:40 a.m. UTC-3"),
            ("Pacific/Kiritimati", "May 3, 2026, 11:40 p.m. UTC+14"),
            ("Asia/Kathmandu", "May 3, 2026, 3:25 p.m. UTC+5:45"),
        ],
    )
    def test_names_its_zone_so_that_everybody_knows_it(self, zone, said):
        with timezone.override(zone):
            assert moments.moment(AT) == said

    def test_that_is_to_come_does_so_too(self):
        with timezone.override("Pacific/Kiritimati"):
            assert moments.until(AT, at=AT) == "11:40 p.m. UTC+14 today"
