"""Refreshing while a key of ours is missing: nothing is sent, no token is lost, and it continues when the key is
back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections import refreshing, revoking
from apps.connections.callback import confirming
from apps.connections.ending import disconnecting
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.connections.refreshing import attempting, choosing, claiming
from apps.connections.refreshing.results import Outcome
from apps.vault.errors import KeyMissing
from apps.vault.models import DataKey
from tests.vault.losing import without_key
from tests.wire.servers import http

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def connection(traveller, place, stand_in) -> Connection:
    found = traveller.link(place)
    confirmed = confirming.confirm(found, candidate=0, at=found.created_at).connection
    stand_in.server.requests.clear()
    stand_in.token = http(body={"access_token": "fresh"})
    return confirmed


@pytest.fixture
def issued_at(connection):
    return StoredTokenSet.objects.get().refresh_issued_at


def tokens():
    return StoredTokenSet.objects.values_list("sealed_access_token", "sealed_refresh_token", "generation").get()


class TestAReader:
    def test_learns_that_a_key_is_missing_and_gets_its_token_when_it_is_back(
        self, connection, issued_at, stand_in, without_key
    ):
        before = tokens()
        with without_key(), pytest.raises(KeyMissing):
            refreshing.usable_token(connection, at=issued_at + HOUR)
        assert stand_in.token_requests == []
        assert tokens() == before
        assert Connection.objects.get().status == "active"
        assert refreshing.usable_token(connection, at=issued_at + 2 * HOUR).reveal() == "fresh"


class TestTheSchedule:
    def test_puts_the_link_off_without_asking_or_blaming_anybody(
        self, connection, issued_at, stand_in, without_key, caplog
    ):
        before = tokens()
        at = issued_at + HOUR
        StoredTokenSet.objects.update(refresh_due_at=at)
        with without_key():
            (claim,) = claiming.claim([connection.pk], at=at)
            result = attempting.attempt(claim, clock=lambda: at)
            assert claiming.claim([connection.pk], at=at) == []
            assert choosing.take(10, at=at).claims == []
        assert result.outcome is Outcome.OPERATOR
        assert f"connection {connection.pk}: No key is at hand" in caplog.text
        assert stand_in.token_requests == []
        assert tokens() == before
        row = Connection.objects.get()
        assert (row.status, row.reason, row.registration.trouble) == ("active", "", "")

    def test_goes_on_by_itself_when_the_key_is_back(self, connection, issued_at, stand_in, without_key):
        at = issued_at + HOUR
        StoredTokenSet.objects.update(refresh_due_at=at)
        with without_key():
            (claim,) = claiming.claim([connection.pk], at=at)
            attempting.attempt(claim, clock=lambda: at)
        due_at = StoredTokenSet.objects.get().refresh_due_at
        assert due_at is not None
        assert at < due_at <= at + HOUR
        (claim,) = choosing.take(10, at=due_at).claims
        assert attempting.attempt(claim, clock=lambda: due_at).outcome is Outcome.REFRESHED


class TestDisconnecting:
    def test_needs_no_key_of_the_person(self, connection, without_key):
        with without_key():
            disconnecting.end(connection, at=timezone.now())
        assert Connection.objects.get().status == "disconnected"
        assert not StoredTokenSet.objects.exists()


class TestTellingAProvider:
    def test_waits_for_the_key(self, connection, place, stand_in, without_key):
        server = connection.registration.authorization_server
        server.revocation_url = server.token_url
        server.save()
        now = timezone.now()
        disconnecting.end(Connection.objects.get(), at=now)
        with without_key():
            assert revoking.tell_providers(at=now) == 0
        assert PendingRevocation.objects.exists()
        assert stand_in.token_requests == []
        assert revoking.tell_providers(at=now + HOUR) == 1
        assert DataKey.objects.filter(wrapped__isnull=False).exists()
