"""Only one worker at a time claims a token set, even if a second one waited for the first to commit."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import accumulate

import pytest
from django.db import connection as database
from django.db import transaction
from django.test.utils import CaptureQueriesContext

from apps.connections.callback import confirming
from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import claiming
from apps.connections.refreshing.claiming import Claim
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.link_rows import HOUR, NOW, make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]

pytestmark = pytest.mark.django_db(transaction=True)

_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
_CONDITIONS = ("lease_until", "not_before_at", "generation", "attempt_id")


@pytest.fixture
def stored(traveller, place) -> StoredTokenSet:
    found = traveller.link(place)
    confirming.confirm(found, candidate=0, at=found.created_at)
    return StoredTokenSet.objects.get()


@pytest.fixture
def at(stored):
    """When its access token is over."""
    return stored.refresh_issued_at + timedelta(minutes=4, seconds=50)


def claim(stored: StoredTokenSet, *, at) -> Claim | None:
    return next(iter(claiming.claim([stored.pk], at=at)), None)


def claim_elsewhere(stored: StoredTokenSet, *, at) -> Claim | None:
    """By a worker with a database connection of its own."""
    try:
        return claim(stored, at=at)
    finally:
        database.close()


def wait_for_a_waiter() -> None:
    """Until somebody waits for a lock in this database."""
    until = time.monotonic() + 10
    with database.cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(_WAITING)
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    raise AssertionError("nobody waits")


def without_subqueries(sql: str) -> str:
    """What is left of a statement when everything in an inner SELECT is cut out."""
    depths = list(accumulate({"(": 1, ")": -1}.get(character, 0) for character in sql))
    while (begins := sql.find("(SELECT")) >= 0:
        ends = next(place for place in range(begins, len(sql)) if depths[place] < depths[begins])
        sql, depths = sql[:begins] + sql[ends + 1 :], depths[:begins] + depths[ends + 1 :]
    return sql


class TestAClaim:
    def test_is_had_by_the_first_alone_where_the_second_waited_for_it(self, stored, at):
        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                first = claim(stored, at=at)
                second = pool.submit(claim_elsewhere, stored, at=at)
                wait_for_a_waiter()
            assert first is not None
            assert second.result(timeout=10) is None
        assert StoredTokenSet.objects.get().attempt_id == first.sent.attempt_id

    def test_waits_where_the_attempt_it_waited_for_was_put_off(self, stored, at):
        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                StoredTokenSet.objects.update(not_before_at=at + timedelta(minutes=1))
                second = pool.submit(claim_elsewhere, stored, at=at)
                wait_for_a_waiter()
            assert second.result(timeout=10) is None

    def test_asks_the_row_itself_whatever_it_asks_of_it(self, stored, at):
        """A subquery is not asked again after the wait for the row's lock: nothing of this table may be in one."""
        with CaptureQueriesContext(database) as captured:
            assert claim(stored, at=at)
        (update,) = [" ".join(query["sql"].split()) for query in captured if "UPDATE" in query["sql"]]
        table = StoredTokenSet._meta.db_table
        assert update.startswith(f"UPDATE {table} AS held ")
        condition = update.partition(" WHERE ")[2].replace("( SELECT", "(SELECT")
        own = without_subqueries(condition)
        for column in _CONDITIONS:
            assert f"held.{column}" in own
        inner = condition.partition("(SELECT")[2]
        assert "is_switched_on" in inner
        assert table not in inner


class TestALinkOfADialectNobodyKnows:
    def test_is_left_alone_and_keeps_nobody_else_waiting(self, make_link, make_registration):
        registration = make_registration("of today")
        left, known = make_link(make_registration("of tomorrow")), make_link(registration)
        Endpoint.objects.filter(pk=left.endpoint_id).update(dialect="of tomorrow")
        assert [one.connection.pk for one in claiming.claim([left.pk, known.pk], at=NOW)] == [known.pk]
        assert StoredTokenSet.objects.get(pk=left.pk).attempt_id is None

    def test_is_so_where_its_registration_writes_one_over_it(self, make_link, make_registration):
        left, known = make_link(make_registration("of tomorrow")), make_link(make_registration("of today"))
        ClientRegistration.objects.filter(pk=left.registration_id).update(token_parameters="later")
        assert [one.connection.pk for one in claiming.claim([left.pk, known.pk], at=NOW)] == [known.pk]


class TestAClaimWhoseWorkerDied:
    @pytest.mark.parametrize(("rotates", "seconds"), [(False, 61), (True, 30), (None, 30)])
    def test_falls_due_when_somebody_may_ask_again(self, make_link, make_registration, rotates, seconds):
        """Not when its lease is over, within the floor: nobody could claim it, and it would take the hands of others
        that are due."""
        registration = make_registration("known", rotates_refresh_tokens=rotates, minimum_refresh_seconds=60)
        link = make_link(registration, refresh_due_at=NOW - HOUR, refresh_deadline_at=NOW + 24 * HOUR)
        assert claiming.claim([link.pk], at=NOW)
        assert StoredTokenSet.objects.get().refresh_due_at == NOW + timedelta(seconds=seconds)
