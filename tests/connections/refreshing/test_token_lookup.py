"""What a reader of a token loads of its link, and what that costs when many do so at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Lock

import pytest
from django.db import connection as database

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import loading, token_lookup
from apps.directory.models import ClientRegistration
from tests.connections.provider_stand_in import tokens

READERS = 6


@pytest.mark.django_db
class TestALook:
    def test_finds_each_column_of_the_token_set_as_it_is(self, connection):
        StoredTokenSet.objects.update(lease_until="2001-01-01T00:00:00Z", not_before_at="2002-01-01T00:00:00Z")
        stored = token_lookup.look_up(connection).stored
        kept = StoredTokenSet.objects.get()
        found = {name: value for name, value in stored.__dict__.items() if not name.startswith("_")}
        assert len(found) == 10
        assert found == {name: getattr(kept, name) for name in found}

    def test_learns_what_keeps_others_away(self, connection, issued_at):
        ClientRegistration.objects.update(
            trouble="invalid_client", trouble_at=issued_at, trouble_seen_at=issued_at + timedelta(minutes=1)
        )
        token_lookup.look_up(connection)
        known, kept = connection.registration, ClientRegistration.objects.get()
        for name in ("trouble", "trouble_at", "trouble_seen_at"):
            assert getattr(known, name) == getattr(kept, name)
            assert getattr(kept, name)

    def test_of_somebody_who_takes_a_living_token_is_one_query_besides_its_key(
        self, issued_at, django_assert_num_queries
    ):
        reader = Connection.objects.select_related("endpoint", "registration").get()
        with django_assert_num_queries(2):
            refreshing.usable_token(reader, at=issued_at)

    @pytest.mark.parametrize("status", ["needs_reauthorization", "disconnected"])
    def test_finds_nothing_to_use_where_the_link_is_not_active(self, connection, status):
        reason = {"reason": "grant_ended"} if status == "needs_reauthorization" else {}
        Connection.objects.update(status=status, reason_at=connection.created_at, **reason)
        with pytest.raises(refreshing.NeedsReauthorization):
            token_lookup.look_up(connection)


@pytest.mark.django_db(transaction=True)
class TestManyWhoLookAtOnce:
    @pytest.mark.conformance("C41")
    def test_load_what_an_attempt_needs_once(self, connection, issued_at, stand_in, monkeypatch):
        """All of them saw the same token end: whoever comes too late is sent away by one row."""
        loads, counting, everybody = [], Lock(), Barrier(READERS)
        load, look = loading.load, token_lookup.look_up

        def counted(ids, **wanted):
            with counting:
                loads.append(ids)
            return load(ids, **wanted)

        def together(of):
            found = look(of)
            if found.stored.generation == 1 and found.under_way_until is None:
                everybody.wait(60)
            return found

        monkeypatch.setattr(loading, "load", counted)
        monkeypatch.setattr(token_lookup, "look_up", together)
        stand_in.token = tokens(access_token="fresh", refresh_token="r2")
        with ThreadPoolExecutor(READERS) as readers:
            found = list(readers.map(_use, [issued_at + timedelta(hours=1)] * READERS))
        assert found == ["fresh"] * READERS
        assert len(loads) == len(stand_in.token_requests) == 1


@pytest.mark.django_db
class TestALookThatIsOutOfDate:
    def test_refreshes_nothing_again(self, connection, issued_at, stand_in, monkeypatch):
        """Somebody else renewed it since, at a server that sets no least interval."""
        ClientRegistration.objects.update(minimum_refresh_seconds=0)
        at = issued_at + timedelta(hours=1)
        look, before = token_lookup.look_up, token_lookup.look_up(connection)
        stand_in.token = tokens(access_token="fresh", refresh_token="r2")
        assert refreshing.usable_token(Connection.objects.get(), at=at).reveal() == "fresh"
        seen = iter([before])
        monkeypatch.setattr(token_lookup, "look_up", lambda of: next(seen, None) or look(of))
        assert refreshing.usable_token(connection, at=at + timedelta(seconds=1)).reveal() == "fresh"
        assert len(stand_in.token_requests) == 1


def _use(at) -> str:
    """What one of them gets, with a database connection of its own."""
    try:
        return refreshing.usable_token(Connection.objects.get(), at=at).reveal()
    finally:
        database.close()
