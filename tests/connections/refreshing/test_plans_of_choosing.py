"""The cost of choosing links does not depend on Postgres's statistics about the directory."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from apps.connections import tallying
from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import choosing, claiming, doubting
from apps.directory import reaching
from apps.directory.models import ClientRegistration
from benchmarks import many_links

NOW = datetime(2026, 3, 2, tzinfo=UTC)
HANDS = 300
# A million links are no table to read whole.
_AS_AMONG_A_MILLION = (
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
)
_LOOKED_UP = "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'connections_connection'"
_FETCHED = _LOOKED_UP.replace("connections_connection", "connections_storedtokenset")


@pytest.fixture
def servers(transactional_db, monkeypatch):
    """Two dozen servers, too few for Postgres to analyze them by itself; all of their links are due."""
    monkeypatch.setattr(reaching, "refreshes_per_second", lambda _dialect: 1e6)
    made = [many_links.make_server(many_links.ROTATING, 100, at=NOW) for _server in range(24)]
    many_links.fill(made, at=NOW, token_bytes=64)
    StoredTokenSet.objects.update(refresh_due_at=NOW - timedelta(hours=1))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE connections_storedtokenset")


class TestChoosingAmongTheLinksOfAFewServers:
    def test_looks_each_candidate_up_as_often_as_it_asks_and_not_once_more_for_each_server(self, servers, monkeypatch):
        chosen = []

        def claim(ids, **_at):
            chosen.extend(ids)
            return []

        monkeypatch.setattr(claiming, "claim", claim)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_AS_AMONG_A_MILLION)
            cursor.execute(_LOOKED_UP)
            (before,) = cursor.fetchone()
            choosing.take(HANDS, at=NOW)
            cursor.execute(_LOOKED_UP)
            (after,) = cursor.fetchone()
        assert len(chosen) == HANDS
        assert after - before < 4 * HANDS


class TestRefreshingEarlyWhatIsDoubted:
    def test_looks_at_no_link_while_nothing_is_proven(self, servers):
        StoredTokenSet.objects.update(refused_at=NOW - timedelta(hours=1), refresh_due_at=NOW + timedelta(hours=6))
        for registration in ClientRegistration.objects.all():
            tallying.count(registration.pk, tallying.Outcome.SUCCEEDED, at=NOW - timedelta(hours=2))
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("ANALYZE connections_storedtokenset")
            cursor.execute(_AS_AMONG_A_MILLION)
            cursor.execute(_FETCHED)
            (before,) = cursor.fetchone()
            assert doubting.hasten(at=NOW) == 0
            cursor.execute(_FETCHED)
            (after,) = cursor.fetchone()
        assert after == before
