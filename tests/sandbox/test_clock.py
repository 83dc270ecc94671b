"""The clock, which can be moved."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.sandbox import clock

pytestmark = pytest.mark.django_db


def about(at):
    return abs((clock.now() - at).total_seconds()) < 5


class TestClock:
    def test_begins_at_real_time(self):
        assert about(datetime.now(UTC))

    @pytest.mark.conformance("X71")
    def test_moves_and_goes_on_ticking(self):
        clock.move(48 * 3_600)
        clock.move(-3_600)
        first = clock.now()
        assert about(datetime.now(UTC) + timedelta(hours=47))
        assert clock.now() > first

    @pytest.mark.conformance("X71")
    def test_is_set_and_reset(self):
        clock.set_to(datetime(2031, 1, 1, tzinfo=UTC))
        assert about(datetime(2031, 1, 1, tzinfo=UTC))
        clock.reset()
        assert about(datetime.now(UTC))

    def test_survives_a_restart(self):
        clock.move(1_000_000)
        clock.forget()
        assert about(datetime.now(UTC) + timedelta(seconds=1_000_000))
