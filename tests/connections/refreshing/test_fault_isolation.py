"""An attempt that fails in an unforeseen way is retried at growing intervals, and reported to operators."""

from datetime import datetime, timedelta

import pytest

from apps.connections import refreshing, tallying
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import attempting, claiming, fault_isolation
from apps.connections.refreshing.attempting import Outcome
from apps.directory.models import ClientRegistration
from apps.wire import token_endpoint
from tests.connections.provider_stand_in import tokens

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


class Unforeseen(Exception):
    """What no part of an attempt expects."""


@pytest.fixture
def fault(monkeypatch):
    """Every call of a token endpoint ends in it."""

    def refresh(*_about, **_more):
        raise Unforeseen("refresh-canary-e391")

    monkeypatch.setattr(token_endpoint, "refresh", refresh)


@pytest.fixture
def lasting(connection):
    """Its server does not rotate: nothing gets lost with an answer."""
    StoredTokenSet.objects.update(is_rotated=False)
    return connection


def attempt(at: datetime) -> attempting.Result:
    (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=at)
    return fault_isolation.attempt(claim, clock=lambda: at)


class TestAnAttemptThatBreaksOff:
    def test_is_put_off_for_longer_each_time(self, lasting, issued_at, fault):
        at, waits = issued_at + HOUR, []
        for _time in range(8):
            result = attempt(at)
            assert result.until is not None
            waits.append((result.until - at) // MINUTE)
            assert claiming.claim([lasting.pk], at=result.until - timedelta(seconds=1)) == []
            at = result.until
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
        assert StoredTokenSet.objects.get().generation == 1

    def test_is_planned_for_when_its_wait_is_over(self, lasting, issued_at, fault):
        StoredTokenSet.objects.update(refresh_due_at=issued_at)
        result = attempt(issued_at + HOUR)
        row = StoredTokenSet.objects.get()
        assert row.refresh_due_at == row.not_before_at == result.until
        assert (row.attempt_id, row.lease_until, row.broke_off_at) == (None, None, issued_at + HOUR)

    def test_is_asked_for_again_soon_where_its_answer_may_have_been_new_tokens(self, connection, issued_at, fault):
        ClientRegistration.objects.update(rotates_refresh_tokens=True)
        at, waits = issued_at + HOUR, []
        for _time in range(8):
            result = attempt(at)
            assert result.until is not None
            waits.append(result.until - at)
            at = result.until
        assert max(waits[:4]) <= timedelta(seconds=30)
        assert min(waits[4:]) >= 16 * MINUTE

    def test_is_ours_counted_and_logged_without_what_it_said(self, lasting, issued_at, fault, caplog):
        result = attempt(issued_at + HOUR)
        assert result.outcome is Outcome.OURS
        assert tallying.totals() == {(lasting.registration_id, tallying.Outcome.OURS): 1}
        assert f"A refresh broke off: connection {lasting.pk}" in caplog.text
        assert caplog.records[-1].levelname == "ERROR"

    def test_lets_its_reader_wait(self, lasting, issued_at, fault):
        with pytest.raises(refreshing.NotYet) as caught:
            refreshing.usable_token(Connection.objects.get(), at=issued_at + HOUR)
        assert timedelta(0) < caught.value.until - (issued_at + HOUR) <= 2 * MINUTE

    def test_is_history_after_the_next_success(self, lasting, issued_at, fault, monkeypatch, stand_in):
        result = attempt(issued_at + HOUR)
        assert result.until is not None
        monkeypatch.undo()
        stand_in.token = tokens(access_token="a2")
        assert attempt(result.until).outcome is Outcome.REFRESHED
        assert StoredTokenSet.objects.get().tries == 0

    def test_that_had_been_written_down_stays_written(self, lasting, issued_at, stand_in, monkeypatch):
        stand_in.token = tokens(access_token="a2", refresh_token="r2")

        def break_off(*_about, **_more):
            raise Unforeseen

        monkeypatch.setattr("apps.directory.registering.note_rotation", break_off)
        attempt(issued_at + HOUR)
        row = StoredTokenSet.objects.get()
        assert (row.generation, row.tries, row.broke_off_at) == (2, 0, None)
