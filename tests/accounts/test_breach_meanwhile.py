"""What people do while word of a breach is being announced to everybody."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection as database
from django.db import connections, transaction

from apps.accounts import breaches
from apps.accounts.models import BreachNotice, User
from apps.audit.recording import Actor

pytestmark = pytest.mark.django_db(transaction=True)

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def first_and_last(alice: User, sam: User, monkeypatch: pytest.MonkeyPatch) -> list[User]:
    """As they are told: one at a time."""
    monkeypatch.setattr(breaches, "_AT_ONCE", 1)
    return sorted((alice, sam), key=lambda one: one.pk)


def announce() -> None:
    try:
        breaches.announce(User.objects.all(), english="A", spanish="B", at=NOON, actor=Actor.system("tests"))
    finally:
        connections.close_all()


def wait_for_a_waiter() -> None:
    """Until somebody waits for a lock in this database."""
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(500):
        with database.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(asks)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waited")


class TestWhoeverIsToldOfABreach:
    def test_can_sign_in_while_others_are_still_to_be_told(self, first_and_last):
        first, last = first_and_last
        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                User.objects.select_for_update().get(pk=last.pk)
                announcing = pool.submit(announce)
                wait_for_a_waiter()
                assert User.objects.select_for_update(nowait=True).get(pk=first.pk).has_breach_to_read
            announcing.result(timeout=20)
        assert BreachNotice.objects.count() == 2

    def test_is_told_even_if_somebody_else_closes_their_account_meanwhile(self, first_and_last):
        first, last = first_and_last
        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                User.objects.filter(pk=last.pk).delete()
                announcing = pool.submit(announce)
                wait_for_a_waiter()
            announcing.result(timeout=20)
        assert [one.user_id for one in BreachNotice.objects.all()] == [first.pk]
