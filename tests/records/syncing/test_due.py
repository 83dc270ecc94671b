"""Which connections are checked once more before they end."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import tasks
from apps.records.models import SyncRun
from apps.records.syncing import due
from tests.records.linked import give_tokens, make_connection

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def ending(alice) -> Connection:
    """It ends in three hours, and was checked twenty hours ago: by the clock, its next check is an hour too late."""
    return make_connection(alice, lapses_at=AT + 3 * HOUR, last_checked_at=AT - 20 * HOUR)


def run(connection: Connection, *, at: datetime, outcome: str = "") -> SyncRun:
    return SyncRun.objects.create(
        user=connection.user,
        connection=connection,
        cause="schedule",
        created_at=at,
        outcome=outcome,
        finished_at=at if outcome else None,
    )


class TestAConnectionThatEnds:
    def test_is_due_once_more_before_its_end(self, ending):
        assert not due.due_for_sync(AT).exists()
        assert due.due_before_an_end(AT).get() == ending

    def test_is_not_due_earlier_nor_afterwards(self, ending):
        assert not due.due_before_an_end(AT - HOUR - timedelta(seconds=1)).exists()
        assert due.due_before_an_end(AT - HOUR).exists()
        assert not due.due_before_an_end(AT + 3 * HOUR).exists()

    def test_is_not_due_where_it_was_checked_within_the_last_hours(self, ending):
        Connection.objects.update(last_checked_at=AT - HOUR + timedelta(seconds=1))
        assert not due.due_before_an_end(AT).exists()

    def test_is_due_where_it_was_never_checked(self, ending):
        Connection.objects.update(last_checked_at=None)
        assert due.due_before_an_end(AT).exists()

    def test_is_tried_again_after_an_hour_where_not_everything_came(self, ending):
        run(ending, at=AT, outcome="failed")
        assert not due.due_before_an_end(AT + HOUR - timedelta(seconds=1)).exists()
        assert due.due_before_an_end(AT + HOUR).exists()

    def test_is_not_due_while_a_run_is_open(self, ending):
        run(ending, at=AT - 5 * HOUR)
        assert not due.due_before_an_end(AT).exists()

    @pytest.mark.parametrize("row", ["endpoint", "registration"])
    def test_is_not_due_while_it_is_switched_off(self, ending, row):
        switched = getattr(ending, row)
        switched.is_switched_on = False
        switched.save()
        assert not due.due_before_an_end(AT).exists()

    def test_is_not_due_where_the_end_came_early(self, ending):
        Connection.objects.update(status="needs_reauthorization")
        assert not due.due_before_an_end(AT).exists()

    def test_is_checked_by_the_beat(self, ending, monkeypatch):
        monkeypatch.setattr(tasks, "enqueue", lambda: None)
        now = timezone.now()
        Connection.objects.update(lapses_at=now + HOUR, last_checked_at=now - 20 * HOUR)
        tasks.start_due_syncs()
        assert SyncRun.objects.get().connection == ending

    def test_is_not_due_a_second_time_by_the_daily_clock(self, ending, monkeypatch):
        """Both ask for it: it is opened once."""
        monkeypatch.setattr(tasks, "enqueue", lambda: None)
        now = timezone.now()
        give_tokens(ending, issued_at=now)
        Connection.objects.update(lapses_at=now + HOUR, last_checked_at=now - 30 * HOUR)
        assert due.due_for_sync(now).exists()
        tasks.start_due_syncs()
        assert SyncRun.objects.get().connection == ending
