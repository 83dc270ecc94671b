"""Two threads that want the same rows wait for each other and never deadlock: account, run, connection, token set.

Each test makes both wait for a lock on the connection. If the second one locked the token set before the connection, it
would block the first one and wait for it at the same time, and Postgres would end one of them.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection as database
from django.db import connections, transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.portal import closing, disconnection
from tests.connections.provider_stand_in import CODE, PERSON, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)

ENDINGS: dict[str, Callable[[Connection], Any]] = {
    "disconnecting": lambda connection: disconnection.disconnect(connection, keeps_copy=True, at=timezone.now()),
    "deleting": lambda connection: disconnection.disconnect(connection, keeps_copy=False, at=timezone.now()),
    "closing": lambda connection: closing.close(connection.user, at=timezone.now()),
}


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:

        def start(work, *given):
            def elsewhere():
                try:
                    return work(*given)
                finally:
                    connections.close_all()

            return pool.submit(elsewhere)

        yield start


class Held:
    """A provider's answer that comes when the test lets it."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.is_asked, self.may_come = threading.Event(), threading.Event()

    def __call__(self, _request: Any) -> Iterator[bytes]:
        self.is_asked.set()
        self.may_come.wait(10)
        yield self._answer


def wait_for_waiting(count: int) -> None:
    """Until so many others stand before a lock."""
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(500):
        with database.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # or else a transaction sees what it saw before
            cursor.execute(asks)
            if cursor.fetchone()[0] >= count:
                return
        time.sleep(0.01)
    raise AssertionError(f"never {count} waiting")


def refresh(connection: Connection) -> str:
    at = StoredTokenSet.objects.get(pk=connection.pk).access_expires_at
    assert at is not None
    try:
        return refreshing.usable_token(connection, at=at).fingerprint()
    except refreshing.NeedsReauthorization:
        return "needs reauthorization"


class TestARefreshAndAnEnding:
    @pytest.mark.parametrize("ending", ENDINGS)
    @pytest.mark.parametrize("answer", [tokens(refresh_token="fresh"), http(400, {"error": "invalid_grant"})])
    @pytest.mark.parametrize("first", ["ending", "refresh"])
    @pytest.mark.conformance("C41")
    def test_at_the_same_moment_both_end(self, connection, stand_in, threads, ending, answer, first):
        stand_in.token = held = Held(answer)
        refreshed = threads(refresh, connection)
        assert held.is_asked.wait(10)
        # a refusal seen meanwhile: a success that comes late moves the connection too
        if b"fresh" in answer:
            Connection.objects.filter(pk=connection.pk).update(status="needs_reauthorization")
        with transaction.atomic():
            Connection.objects.select_for_update().get(pk=connection.pk)
            if first == "refresh":
                held.may_come.set()
                wait_for_waiting(1)
            ended = threads(ENDINGS[ending], connection)
            wait_for_waiting(2 if first == "refresh" else 1)
            held.may_come.set()
            wait_for_waiting(2)
        ended.result(10)
        assert refreshed.result(10)
        assert not StoredTokenSet.objects.exists()
        assert not Connection.objects.filter(status="active").exists()


class TestAHandOverAndAnEnding:
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_at_the_same_moment_both_end(self, connection, traveller, place, threads, ending):
        again = traveller.link(place)
        with transaction.atomic():
            Connection.objects.select_for_update().get(pk=connection.pk)
            ended = threads(ENDINGS[ending], connection)
            wait_for_waiting(1)
            confirmed = threads(lambda: confirming.confirm(again, candidate=0, at=again.created_at))
            wait_for_waiting(2)
        ended.result(10)
        if ending == "closing":
            with pytest.raises(confirming.TooLate):
                confirmed.result(10)
        else:
            confirmed.result(10)


class TestASignInAndAClosing:
    @pytest.mark.parametrize("person", [http(body=PERSON), http(500)], ids=["kept", "failed"])
    @pytest.mark.conformance("C47")
    def test_do_not_overtake_each_other(self, alice, traveller, place, stand_in, threads, person):
        """Whoever closes an account holds it first. Tokens kept meanwhile would be given back by nobody."""
        stand_in.patient = person
        departed = traveller.leave(place)
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=alice.pk)
            came_back = threads(lambda: traveller.come_back(place, code=CODE, state=departed.state))
            wait_for_waiting(1)
            assert not Connection.objects.exists()
            assert not AuthorizationRequest.objects.exclude(outcome="").exists()
        assert came_back.result(10).status_code == 303
        assert AuthorizationRequest.objects.exclude(outcome="").exists()
