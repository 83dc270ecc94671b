"""Whoever needs a token that somebody else is refreshing waits for that result, and sends nothing."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection as database

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import access_tokens
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)

SOMEBODY = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"


def use(at) -> str:
    """What another worker, with a database connection of its own, gets."""
    try:
        return refreshing.usable_token(Connection.objects.get(), at=at).reveal()
    except refreshing.NotYet:
        return "not yet"
    except refreshing.NeedsReauthorization:
        return "sign in again"
    finally:
        database.close()


class TestARefreshUnderWay:
    @pytest.mark.conformance("C41")
    def test_is_joined_by_everybody_else(self, connection, issued_at, stand_in):
        def slowly(_request):
            time.sleep(0.5)
            yield tokens(access_token="fresh", refresh_token="r2")

        stand_in.token = slowly
        with ThreadPoolExecutor(5) as workers:
            answers = list(workers.map(use, [issued_at + timedelta(hours=1)] * 5))
        assert answers == ["fresh"] * 5
        assert len(stand_in.token_requests) == 1

    def test_that_is_refused_ends_it_for_those_who_wait(self, connection, issued_at, stand_in):
        has_come = threading.Event()

        def refusing(_request):
            has_come.set()
            time.sleep(0.5)
            yield http(400, {"error": "invalid_grant"})

        stand_in.token = refusing
        at = issued_at + timedelta(hours=1)
        with ThreadPoolExecutor(2) as workers:
            first = workers.submit(use, at)
            assert has_come.wait(10)
            assert [workers.submit(use, at).result(), first.result()] == ["sign in again"] * 2
        assert len(stand_in.token_requests) == 1

    def test_is_waited_for_no_longer_than_it_may_take(self, connection, issued_at, stand_in, monkeypatch):
        monkeypatch.setattr(access_tokens, "JOIN_SECONDS", 0.2)
        StoredTokenSet.objects.update(attempt_id=SOMEBODY, lease_until="2999-01-01T00:00:00Z")
        with pytest.raises(refreshing.NotYet) as wait:
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert wait.value.until.year == 2999
        assert stand_in.token_requests == []

    def test_that_ends_without_tokens_leaves_the_wait_it_asked_for(self, connection, issued_at, stand_in):
        at = issued_at + timedelta(hours=1)
        StoredTokenSet.objects.update(attempt_id=SOMEBODY, lease_until="2999-01-01T00:00:00Z")

        def is_put_off():
            time.sleep(0.3)
            StoredTokenSet.objects.update(attempt_id=None, lease_until=None, not_before_at=at + timedelta(minutes=7))
            database.close()

        thread = threading.Thread(target=is_put_off)
        thread.start()
        with pytest.raises(refreshing.NotYet) as wait:
            refreshing.usable_token(connection, at=at)
        thread.join()
        assert wait.value.until == at + timedelta(minutes=7)
        assert stand_in.token_requests == []
