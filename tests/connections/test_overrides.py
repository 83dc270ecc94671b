"""Each override of a dialect's value has its effect: on the wire, on a deadline, or on how many runs there may be."""

import contextlib
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections import refreshing, revoking
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import standing
from apps.directory import overriding, reaching
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import SyncRun
from apps.records.syncing.fetching import Source
from apps.records.syncing.workers import leasing
from tests.connections.provider_stand_in import CODE, PERSON, REFRESH, tokens
from tests.records.linked import make_connection
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")


@pytest.fixture
def write(place):
    """Writes an override as staff do."""

    def override(**columns: str) -> None:
        overriding.override(place.registration, columns, actor=ACTOR, at=timezone.now())

    return override


@pytest.fixture
def exchanged(traveller, place, stand_in):
    """The one request that exchanged a code, after this sign-in."""

    def link():
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        (request,) = stand_in.token_requests
        return departed, request

    return link


@pytest.fixture
def confirmed(traveller, place, stand_in):
    """A connection that is linked after the overrides were written."""

    def link() -> Connection:
        found = traveller.link(place)
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        stand_in.server.requests.clear()
        return connection

    return link


class TestAnOverride:
    def test_of_token_parameters_moves_them_into_the_body(self, write, exchanged):
        ClientRegistration.objects.update(authentication="none")
        write(token_parameters="body")
        _departed, request = exchanged()
        assert request.query == []
        assert dict(request.form)["code"] == CODE

    def test_of_token_parameters_leaves_them_in_the_address_without_it(self, exchanged):
        ClientRegistration.objects.update(authentication="none")
        _departed, request = exchanged()
        assert (dict(request.query)["code"], request.body) == (CODE, b"")

    def test_of_sends_state_sends_it_with_the_code(self, write, exchanged):
        write(sends_state="True")
        departed, request = exchanged()
        assert dict(request.query)["state"] == departed.state

    def test_of_sends_aud_names_the_fhir_server(self, write, exchanged, place):
        write(sends_aud="True")
        departed, _request = exchanged()
        assert dict(departed.query)["aud"] == place.endpoint.fhir_base_url

    def test_of_accept_is_what_data_requests_ask_for(self, write, exchanged, stand_in):
        write(accept="application/json+fhir; charset=utf-8")
        exchanged()
        accepted = [request.headers["accept"] for request in stand_in.patient_requests]
        assert accepted == ["application/json+fhir; charset=utf-8"]

    def test_of_refresh_window_hours_ends_the_tries_there(self, write, confirmed, stand_in):
        write(refresh_window_hours="12")
        connection = confirmed()
        issued_at = StoredTokenSet.objects.get().refresh_issued_at
        assert issued_at is not None
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=12, seconds=1))
        assert stand_in.token_requests == []

    def test_of_idle_limit_days_tells_patients_that_it_passed(self, write, confirmed):
        write(idle_limit_days="10", refresh_window_hours="8784")
        connection = confirmed()
        ClientRegistration.objects.update(is_switched_on=False)
        connection.registration.refresh_from_db()
        for days, is_told in ((9, False), (11, True)):
            at = timezone.now() + timedelta(days=days)
            assert ("Once access is on again" in standing.of_connection(connection, at=at).sentence) is is_told

    def test_of_minimum_refresh_seconds_waits_so_long(self, write, confirmed, stand_in):
        ClientRegistration.objects.update(minimum_refresh_seconds=None)
        write(minimum_refresh_seconds="600")
        connection = confirmed()
        issued_at = StoredTokenSet.objects.get().refresh_issued_at
        assert issued_at is not None
        with pytest.raises(refreshing.NotYet) as waits:
            refreshing.usable_token(connection, at=issued_at + timedelta(seconds=400))
        assert waits.value.until == issued_at + timedelta(seconds=601)  # one for a request that is quicker on its way
        assert stand_in.token_requests == []

    def test_of_assumed_lifetime_seconds_is_how_long_a_token_is_used(self, write, confirmed, stand_in):
        write(assumed_lifetime_seconds="3600")
        connection = confirmed()
        issued_at = StoredTokenSet.objects.get().refresh_issued_at
        assert issued_at is not None
        assert refreshing.usable_token(connection, at=issued_at + timedelta(seconds=3500)).reveal()
        assert stand_in.token_requests == []

    def test_of_requests_per_minute_pauses_the_copy_there(self, write, confirmed, stand_in):
        write(requests_per_minute="1")
        connection = confirmed()
        stand_in.patient = http(body=PERSON)
        at = timezone.now()
        run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=at)
        syncing.advance(run.pk, at=at)
        run.refresh_from_db()
        asked = len(stand_in.server.requests)
        assert asked in {1, 2}  # the second where a minute began meanwhile
        assert (run.outcome, run.pauses, run.claim_id) == ("", 0, None)
        assert run.lease_until is not None
        assert run.lease_until <= timezone.now() + timedelta(seconds=61)

    def test_of_parallel_requests_is_how_many_wait_for_an_answer(self, write, confirmed, place):
        write(parallel_requests="1")
        with contextlib.closing(Source(confirmed(), timezone.now)) as source:
            assert source.parallel == 1

    def test_of_runs_at_once_is_the_room_there(self, write, confirmed, alice, place):
        write(runs_at_once="1")
        for number in range(2):
            connection = make_connection_at(place, alice, f"patient-{number}")
            syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
        assert leasing.claim_next() is not None
        assert leasing.claim_next() is None

    def test_of_revokes_replaced_ends_what_a_new_sign_in_replaces(self, write, confirmed, traveller, place, stand_in):
        write(revokes_replaced="True")
        connection = confirmed()
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(place, code=CODE, state=departed.state)
        revoking.tell_providers(at=timezone.now())
        assert [dict(request.form)["token"] for request in stand_in.revocations] == [REFRESH]

    def test_has_a_proof_here_for_every_column(self):
        proofs = [name for name in dir(type(self)) if name.startswith("test_of_")]
        assert [column for column in reaching.OVERRIDES if not any(column in name for name in proofs)] == []


def make_connection_at(place, user, patient_id: str) -> Connection:
    """Another person's link to the same place."""
    return make_connection(user, place.endpoint, fhir_patient_id=patient_id)
