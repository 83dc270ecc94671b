"""A usual result is written by one statement, which changes nothing if anything is unusual; that is then examined."""

import pytest
from django.db import connection as database

from apps.audit.models import AuditEvent
from apps.connections import tallying
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import attempting, claiming, fast_path, protocol, storing
from apps.connections.refreshing.attempting import Outcome
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)  # it commits by itself, outside any transaction

AGAIN = http(body={"access_token": "a2"})  # no other refresh token


@pytest.fixture
def at(issued_at):
    """The server has shown that it does not use refresh tokens up: this link has a known end."""
    return issued_at + 2 * protocol.LEASE


@pytest.fixture
def known(at, stand_in) -> None:
    stand_in.token = AGAIN
    assert _attempt(at).outcome is Outcome.REFRESHED


def _attempt(at, *, meanwhile=lambda: None) -> attempting.Result:
    (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=at)
    meanwhile()
    return attempting.attempt(claim, clock=lambda: at)


def _written() -> tuple[int, int]:
    """Successes in the audit log, and counted."""
    counted = sum(times for (_id, outcome), times in tallying.totals().items() if outcome == tallying.Outcome.SUCCEEDED)
    return AuditEvent.objects.filter(event="tokens.refreshed").count(), counted


@pytest.fixture
def looked(monkeypatch) -> list[str]:
    """Grows where the rows were looked at after all."""
    calls: list[str] = []
    hold = storing._hold

    def looking(claim):
        calls.append("looked")
        return hold(claim)

    monkeypatch.setattr(storing, "_hold", looking)
    return calls


@pytest.mark.usefixtures("known")
class TestTheUsualEnd:
    def test_is_one_statement_that_writes_all_there_is(self, at, looked):
        later = at + protocol.LEASE
        before = _written()
        statements = []

        def note(execute, sql, parameters, many, context):
            statements.append(sql)
            return execute(sql, parameters, many, context)

        (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=later)
        with database.execute_wrapper(note):
            assert attempting.attempt(claim, clock=lambda: later).outcome is Outcome.REFRESHED
        assert (len(statements), looked) == (2, [])  # the data keys, and this
        assert _written() == (before[0] + 1, before[1] + 1)
        stored = StoredTokenSet.objects.get()
        assert (stored.generation, stored.attempt_id, stored.lease_until) == (claim.sent.generation + 1, None, None)
        event = AuditEvent.objects.latest("pk")
        assert event.facts["generation"] == stored.generation
        assert (event.actor_name, event.subject_id) == ("refreshing", str(stored.pk))

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda: Connection.objects.update(lapses_at=None), id="its end"),
            pytest.param(lambda: Connection.objects.update(granted_scope="patient/*.read"), id="its scope"),
            pytest.param(lambda: StoredTokenSet.objects.update(attempt_id=None), id="whose it is"),
        ],
    )
    def test_is_looked_at_where_something_changed_meanwhile(self, at, looked, change):
        before = _written()
        assert _attempt(at + protocol.LEASE, meanwhile=change).outcome is Outcome.REFRESHED
        assert looked == ["looked"]
        assert _written() == (before[0] + 1, before[1] + 1)

    def test_writes_nothing_where_other_tokens_came_first(self, at, looked):
        before = _written()
        StoredTokenSet.objects.update(generation=7)
        (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=at + protocol.LEASE)
        StoredTokenSet.objects.update(generation=8)
        columns = {"generation": 8}
        connection = claim.connection
        is_written = fast_path.store(
            claim,
            columns,
            lapses_at=connection.lapses_at,
            granted_scope=connection.granted_scope,
            actor=storing._ACTOR,
            at=at,
        )
        assert (is_written, _written(), looked) == (False, before, [])


class TestTheFirstSign:
    def test_of_another_end_is_no_usual_end(self, at, stand_in, looked):
        """The link gets a known end, and loses it again."""
        for answer in (AGAIN, tokens(access_token="a3", refresh_token="r3")):
            stand_in.token = answer
            at += protocol.LEASE
            assert _attempt(at).outcome is Outcome.REFRESHED
        assert looked == ["looked", "looked"]
        assert Connection.objects.get().lapses_at is None
