"""When a warning is sent: in time and, if possible, not at night."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.connections.lapse_warnings import moments

EASTERN = ZoneInfo("America/New_York")
ENDS_AT = datetime(2026, 11, 25, 19, 0, tzinfo=UTC)  # 2 p.m. there
zones = st.sampled_from(
    [UTC, EASTERN, ZoneInfo("Pacific/Honolulu"), ZoneInfo("Europe/Madrid"), ZoneInfo("Asia/Kolkata")]
)
ends = st.integers(min_value=0, max_value=800 * 24 * 60).map(
    lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


def there(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=EASTERN)


def before(hours: int, *, ends_at: datetime = ENDS_AT, life_hours: int = 48) -> datetime | None:
    signed_in_at = ends_at - timedelta(hours=life_hours)
    return moments.before_end(ends_at, hours_before=hours, signed_in_at=signed_in_at, zone=EASTERN)


class TestAWarning:
    def test_comes_as_many_hours_before_as_were_chosen(self):
        assert before(24) == there(24, 14)
        assert before(3) == there(25, 11)

    def test_waits_for_the_morning(self):
        """12 hours before 2 p.m. is 2 a.m."""
        assert before(12) == there(25, 8)

    def test_waits_where_the_night_has_begun(self):
        """Nine in the evening is night; a minute before, nobody sleeps."""
        nine = there(25, 21)
        assert before(24, ends_at=nine) == there(25, 8)
        assert before(24, ends_at=nine - timedelta(minutes=1)) == there(24, 20, 59)

    def test_waits_for_a_morning_that_leaves_just_time_enough(self):
        assert before(3, ends_at=there(25, 10)) == there(25, 8)

    def test_comes_the_evening_before_where_the_morning_is_too_late(self):
        assert before(3, ends_at=ENDS_AT - timedelta(hours=5)) == there(24, 20, 30)

    def test_comes_at_night_where_its_reader_signed_in_after_that_evening(self):
        """Signed in at 10 p.m. for eleven hours: there is neither an evening before nor a morning after."""
        assert before(3, ends_at=ENDS_AT - timedelta(hours=5), life_hours=11) == there(25, 6)

    @pytest.mark.parametrize("life_hours", [1, 11, 12])
    def test_does_not_come_where_the_end_was_that_near_at_the_sign_in(self, life_hours: int):
        assert before(12, life_hours=life_hours) is None

    @given(ends, zones, st.sampled_from([24, 12, 3]), st.integers(min_value=1, max_value=60))
    def test_is_never_late_and_never_wakes_without_need(self, ends_at, zone, hours, life_hours):
        signed_in_at = ends_at - timedelta(hours=life_hours)
        due_at = moments.before_end(ends_at, hours_before=hours, signed_in_at=signed_in_at, zone=zone)
        if due_at is None:
            assert hours >= life_hours
            return
        assert signed_in_at < due_at <= ends_at - moments.LEAST_LEFT
        if moments.is_quiet(due_at, zone):
            assert due_at == ends_at - timedelta(hours=hours)
            assert signed_in_at >= due_at - timedelta(hours=12)


class TestWordOfAnEnd:
    @given(ends, zones)
    def test_comes_within_minutes_by_day_and_in_the_morning_by_night(self, ended_at, zone):
        due_at = moments.after_end(ended_at, zone=zone)
        assert not moments.is_quiet(due_at, zone)
        wait = due_at - ended_at
        assert wait == timedelta(minutes=10) or due_at.astimezone(zone).hour == 8
        assert timedelta(minutes=10) <= wait <= timedelta(hours=13)


class TestTheNextMorning:
    def test_is_of_this_day_before_it_and_of_the_next_after(self):
        assert moments.next_morning(there(25, 7, 59), EASTERN) == there(25, 8)
        assert moments.next_morning(there(25, 8), EASTERN) == there(26, 8)
        assert moments.next_morning(there(25, 22), EASTERN) == there(26, 8)

    @given(ends, zones)
    def test_is_never_quiet_and_within_a_day(self, moment, zone):
        morning = moments.next_morning(moment, zone)
        assert moment < morning <= moment + timedelta(hours=25)
        assert morning.astimezone(zone).hour == 8
        assert not moments.is_quiet(morning, zone)
