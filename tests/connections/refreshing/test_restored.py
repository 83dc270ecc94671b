"""After a backup was restored, a refusal of older tokens is not taken for the end of the permission, and pages say
why."""

from datetime import timedelta

import pytest

from apps.audit import restorations
from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import standing
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def connection(traveller, place, stand_in) -> Connection:
    found = traveller.link(place)
    confirmed = confirming.confirm(found, candidate=0, at=found.created_at).connection
    stand_in.token = http(400, {"error": "invalid_grant"})
    return confirmed


@pytest.fixture
def issued_at(connection):
    return StoredTokenSet.objects.get().refresh_issued_at


def refused(connection, *, at) -> Connection:
    with pytest.raises(refreshing.NeedsReauthorization):
        refreshing.usable_token(connection, at=at)
    return Connection.objects.get()


class TestARefusal:
    def test_of_tokens_from_before_is_said_to_be_ours(self, connection, issued_at):
        restorations.note(at=issued_at + HOUR)
        row = refused(connection, at=issued_at + 2 * HOUR)
        assert row.reason == "earlier_copy"
        sentence = standing.of_connection(row, at=issued_at + 2 * HOUR).sentence
        assert sentence.startswith("We had to go back to an earlier copy of our data, and ")
        assert "ended the permission" not in sentence

    def test_of_tokens_given_since_is_their_ending(self, connection, issued_at, stand_in):
        restorations.note(at=issued_at + HOUR)
        stand_in.token = http(body={"access_token": "fresh", "refresh_token": "another"})
        refreshing.usable_token(connection, at=issued_at + 2 * HOUR)
        stand_in.token = http(400, {"error": "invalid_grant"})
        assert refused(connection, at=issued_at + 4 * HOUR).reason == "grant_ended"

    def test_where_nothing_was_restored_is_their_ending(self, connection, issued_at):
        assert refused(connection, at=issued_at + HOUR).reason == "grant_ended"
