"""Clocks that are wrong by a minute, the provider's or ours, break nothing (specification 4.2 rule 4, 7.2)."""

import contextlib
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.connections import refreshing, tasks
from apps.connections.authorization_responses import code_exchange
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import access_tokens
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records import tasks as sync_tasks
from apps.records.models import SyncRun
from apps.wire.token_endpoint import TokenSet
from tests.connections.provider_stand_in import tokens

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


class TestAServerWhoseClockIsOff:
    @pytest.mark.conformance("C72")
    @pytest.mark.parametrize("authentication", ["client_secret_basic", "private_key_jwt"])
    @pytest.mark.parametrize("seconds", [60, -60])
    def test_is_linked_refreshed_and_read(self, deploy, patient, sandbox, authentication, seconds):
        sandbox.post("/control/clock", move_seconds=seconds)
        place = deploy(authentication=authentication, minimum_refresh_seconds=1)
        connection = patient.found(place)
        patient.confirm(connection)
        connection.refresh_from_db()
        before = refreshing.usable_token(connection, at=timezone.now())
        StoredTokenSet.objects.update(access_expires_at=timezone.now(), not_before_at=None)
        after = refreshing.usable_token(connection, at=timezone.now())
        assert after != before
        assert Connection.objects.get(pk=connection.pk).status == "active"


class TestAServerAMinuteAhead:
    @pytest.mark.conformance("C72")
    def test_is_believed_when_it_takes_its_time_to_say_who_signed_in(self, deploy, patient, sandbox, monkeypatch):
        """What it made seconds after the patient came back is judged by the moment it came."""
        at_once = code_exchange.exchange

        def late(*asked: Any) -> TokenSet:
            time.sleep(2)
            return at_once(*asked)

        monkeypatch.setattr(code_exchange, "exchange", late)
        sandbox.post("/control/clock", move_seconds=60)
        patient.confirm(patient.found(deploy()))
        assert Connection.objects.get().status == "active"


class TestWorkersWhoseClocksAreOff:
    @pytest.mark.conformance("C72")
    @pytest.mark.parametrize("ahead", [MINUTE, -MINUTE])
    def test_hand_out_each_other_s_tokens_and_ask_once(self, connection, issued_at, stand_in, ahead):
        """One is a minute off, and refreshes; the other is right, and uses what that brought."""
        at = issued_at + timedelta(hours=1)
        stand_in.token = tokens(access_token="fresh", refresh_token="r2", expires_in=300)
        assert refreshing.usable_token(connection, at=at + ahead).reveal() == "fresh"
        assert refreshing.usable_token(connection, at=at + timedelta(seconds=200)).reveal() == "fresh"
        assert len(stand_in.token_requests) == 1

    @pytest.mark.conformance("C72")
    @pytest.mark.parametrize("ahead", [MINUTE, -MINUTE])
    def test_keep_a_lease_whatever_they_say(self, connection, issued_at, stand_in, monkeypatch, ahead):
        """A lease is on the database's clock."""
        monkeypatch.setattr(access_tokens, "JOIN_SECONDS", 0.1)
        lease_until = timezone.now() + timedelta(seconds=30)
        StoredTokenSet.objects.update(attempt_id="1b4e28ba-2fa1-11d2-883f-0016d3cca427", lease_until=lease_until)
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=issued_at + timedelta(minutes=10) + ahead)
        assert stand_in.token_requests == []


@pytest.mark.django_db(transaction=True)
class TestAWorkerWhoseClockIsAhead:
    @pytest.mark.conformance("C72")
    @pytest.mark.parametrize("floor_seconds", [0, 60])
    def test_asks_no_sooner_than_the_floor_after_another(self, connection, stand_in, monkeypatch, floor_seconds):
        """All take the moment from the clock they share. Where there is no floor it asks, and so could have."""
        ClientRegistration.objects.update(minimum_refresh_seconds=floor_seconds, rotates_refresh_tokens=True)
        StoredTokenSet.objects.update(not_before_at=None)
        stand_in.token = tokens(access_token="a2", refresh_token="r2", expires_in=300)
        call_command("refresh_tokens", str(connection.pk))
        assert len(stand_in.token_requests) == 1
        right = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: right() + MINUTE + timedelta(seconds=2))
        for ask in (lambda: call_command("refresh_tokens", str(connection.pk)), tasks.refresh_due, _read):
            now = right()
            StoredTokenSet.objects.update(refresh_due_at=now, access_expires_at=now)
            ask()
        assert len(stand_in.token_requests) == (1 if floor_seconds else 4)


def _read() -> None:
    """As a copy is made, which needs an access token."""
    with contextlib.suppress(refreshing.NotYet):
        syncing.start(Connection.objects.get(), cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
    sync_tasks.sync_next()
