"""Confirming a person, declining, and what happens if nobody does either."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection as database

from apps.audit.models import AuditEvent
from apps.connections import refreshing, revoking, tasks
from apps.connections.callback import confirming
from apps.connections.ending import purging
from apps.connections.grants import launch_context
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet, Trial
from tests.connections.conftest import Place, assert_nothing_was_left
from tests.connections.provider_stand_in import CHILD, PERSON, bundle, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


@pytest.fixture
def strange_traveller(make_traveller, sam):
    """Sam, signed in, with his consent given."""
    return make_traveller(sam)


@pytest.fixture
def waiting(traveller, strange_traveller, place):
    """A link of each that waits for an answer: first the one that no look at all of them would find first."""
    return sorted((who.link(place) for who in (traveller, strange_traveller)), key=lambda row: row.pk, reverse=True)


def statuses():
    return dict(Connection.objects.values_list("pk", "status"))


class TestConfirming:
    @pytest.mark.conformance("C11", "C64")
    def test_makes_the_connection_active_for_the_person_chosen(self, traveller, place, stand_in):
        stand_in.patient = bundle(PERSON, CHILD)
        connection = traveller.link(place)
        people = confirming.candidates(connection)
        assert [(person.name, person.birth_date) for person in people] == [
            ("Wrenna Quillfeather", "1984-03-09"),
            ("Tam Quillfeather", "2016-11-02"),
        ]
        confirming.confirm(connection, candidate=1, at=connection.created_at)
        row = Connection.objects.get()
        assert row.status == "active"
        assert row.fhir_patient_id == "p-7302"
        assert row.sealed_candidates is None
        assert confirming.candidates(row) == ()

    def test_twice_finds_it_done(self, traveller, place):
        connection = traveller.link(place)
        for _ in range(2):
            confirmed = confirming.confirm(connection, candidate=0, at=connection.created_at)
        assert confirmed.connection.pk == connection.pk
        assert AuditEvent.objects.filter(event="connection.confirmed").count() == 1

    @pytest.mark.parametrize("candidate", [-1, 1, 99])
    def test_refuses_a_number_that_is_nobodys(self, traveller, place, candidate):
        connection = traveller.link(place)
        with pytest.raises(confirming.NoSuchCandidate):
            confirming.confirm(connection, candidate=candidate, at=connection.created_at)
        assert Connection.objects.get().status == "awaiting_confirmation"

    def test_is_too_late_after_thirty_minutes(self, traveller, place):
        connection = traveller.link(place)
        with pytest.raises(confirming.TooLate):
            confirming.confirm(connection, candidate=0, at=connection.created_at + timedelta(minutes=30))
        assert Connection.objects.get().status == "awaiting_confirmation"

    def test_of_somebody_connected_already_renews_that_connection(self, traveller, place, stand_in):
        first = traveller.link(place)
        confirming.confirm(first, candidate=0, at=first.created_at)
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        second = traveller.link(place)
        confirmed = confirming.confirm(second, candidate=0, at=second.created_at)
        assert confirmed.existed_before
        assert confirmed.connection.pk == first.pk
        assert Connection.objects.get().pk == first.pk
        assert refreshing.usable_token(confirmed.connection, at=second.created_at).reveal() == "second-access"
        assert StoredTokenSet.objects.get().generation == 2

    def test_of_somebody_connected_already_goes_on_with_what_the_new_sign_in_brought(
        self, traveller, connection, newer, stand_in
    ):
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        second = traveller.link(newer)
        came = LaunchContext(fhir_user="RelatedPerson/r-1")
        Connection.objects.filter(pk=second.pk).update(sealed_context=launch_context.seal(second, came))
        confirming.confirm(second, candidate=0, at=second.created_at)
        row = Connection.objects.get()
        assert (row.registration, launch_context.find(row)) == (newer.registration, came)
        refreshing.usable_token(row, at=second.created_at + timedelta(hours=1))
        asked = dict(stand_in.token_requests[-1].query)
        assert (asked["client_id"], asked["refresh_token"]) == ("newer-client", "second-refresh")

    def test_of_somebody_connected_already_leads_to_that_connection_and_is_written_down(
        self, traveller, place, connection
    ):
        second = traveller.link(place)
        confirming.confirm(second, candidate=0, at=second.created_at)
        assert AuthorizationRequest.objects.get(outcome="already_connected").connection == connection
        event = AuditEvent.objects.get(event="connection.reauthorized")
        assert event.subject_id == str(connection.pk)

    def test_of_one_person_by_two_accounts_makes_a_connection_for_each(self, traveller, strange_traveller, place):
        for who in (traveller, strange_traveller):
            connection = who.link(place)
            assert not confirming.confirm(connection, candidate=0, at=connection.created_at).existed_before
        rows = Connection.objects.active().values_list("user", "fhir_patient_id")
        assert set(rows) == {(who.user.pk, "p-7301") for who in (traveller, strange_traveller)}
        assert StoredTokenSet.objects.filter(generation=1).count() == 2

    def test_answers_nothing_for_anybody_else(self, waiting):
        mine, theirs = waiting
        confirming.confirm(mine, candidate=0, at=mine.created_at)
        assert statuses() == {mine.pk: "active", theirs.pk: "awaiting_confirmation"}
        assert AuthorizationRequest.objects.get(outcome="confirmed").connection == mine

    @pytest.mark.django_db(transaction=True)
    def test_of_one_person_in_two_tabs_at_once_makes_one_connection(self, traveller, place):
        waiting = [traveller.link(place), traveller.link(place)]
        together = Barrier(2)

        def press(connection):
            try:
                together.wait()
                return confirming.confirm(connection, candidate=0, at=connection.created_at).existed_before
            finally:
                database.close()

        with ThreadPoolExecutor(2) as tabs:
            assert sorted(tabs.map(press, waiting)) == [False, True]
        assert Connection.objects.get().status == "active"

    def test_of_somebody_who_had_to_sign_in_again_makes_the_connection_hold(self, traveller, place):
        first = traveller.link(place)
        confirming.confirm(first, candidate=0, at=first.created_at)
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=first.created_at)
        second = traveller.link(place)
        confirming.confirm(second, candidate=0, at=second.created_at)
        row = Connection.objects.get()
        assert (row.status, row.reason) == ("active", "")

    @pytest.mark.conformance("C54")
    def test_keeps_another_practice_of_the_same_gateway_apart(self, traveller, place, make_place):
        other = make_place("Other Practice")
        assert other.endpoint == place.endpoint
        for where in (place, other):
            connection = traveller.link(where)
            confirming.confirm(connection, candidate=0, at=connection.created_at)
        assert Connection.objects.active().count() == 2

    @pytest.mark.conformance("C54")
    def test_keeps_the_same_id_in_another_version_apart(self, traveller, place, make_place):
        older = make_place("Harbor, older", path="/older", version="dstu2")
        older.endpoint.providers.add(place.provider)
        for where in (place, Place(place.provider, older.endpoint, older.registration)):
            connection = traveller.link(where)
            confirming.confirm(connection, candidate=0, at=connection.created_at)
        rows = Connection.objects.active().values_list("provider", "fhir_patient_id", "endpoint__fhir_version")
        assert set(rows) == {(place.provider.pk, "p-7301", "r4"), (place.provider.pk, "p-7301", "dstu2")}


class TestDeclining:
    @pytest.mark.conformance("C64")
    def test_leaves_nothing_and_gives_the_permission_back(self, traveller, place, stand_in):
        connection = traveller.link(place)
        assert confirming.decline(connection, at=connection.created_at)
        assert_nothing_was_left()
        revoking.tell_providers(at=connection.created_at)
        (revocation,) = stand_in.revocations
        assert sorted(revocation.form) == [
            ("client_id", "holdfast-client"),
            ("client_secret", "secret-canary-bb42"),
            ("token", "refresh-canary-e391"),
            ("token_type_hint", "refresh_token"),
        ]

    def test_leaves_what_somebody_else_has_to_answer(self, waiting, stand_in):
        mine, theirs = waiting
        assert confirming.decline(mine, at=mine.created_at)
        assert statuses() == {theirs.pk: "awaiting_confirmation"}
        assert StoredTokenSet.objects.get().pk == theirs.pk
        assert confirming.candidates(Connection.objects.get())
        assert AuthorizationRequest.objects.get(outcome="declined").user == mine.user
        assert revoking.tell_providers(at=mine.created_at) == 1

    def test_says_so_on_the_page_of_the_sign_in(self, traveller, place):
        connection = traveller.link(place)
        confirming.decline(connection, at=connection.created_at)
        attempt = AuthorizationRequest.objects.get()
        page = traveller.client.get(f"/connect/attempts/{attempt.pk}/").content.decode()
        assert "Nothing was copied" in page
        assert "We dropped the permission." in page

    def test_does_not_depend_on_the_provider(self, traveller, place, stand_in):
        stand_in.revoke = http(503)
        connection = traveller.link(place)
        confirming.decline(connection, at=connection.created_at)
        assert_nothing_was_left()
        assert revoking.tell_providers(at=connection.created_at) == 0

    def test_does_nothing_to_a_connection_that_was_confirmed(self, traveller, place, stand_in):
        connection = traveller.link(place)
        confirming.confirm(connection, candidate=0, at=connection.created_at)
        assert not confirming.decline(connection, at=connection.created_at)
        assert Connection.objects.get().status == "active"
        assert stand_in.revocations == []


class TestPurging:
    @pytest.mark.conformance("C64")
    def test_drops_a_link_nobody_confirmed_for_thirty_minutes(self, traveller, place, stand_in):
        connection = traveller.link(place)
        assert purging.purge_unconfirmed(at=connection.created_at + timedelta(minutes=29, seconds=59)) == 0
        assert purging.purge_unconfirmed(at=connection.created_at + timedelta(minutes=30)) == 1
        assert_nothing_was_left()
        assert revoking.tell_providers(at=connection.created_at + timedelta(hours=1)) == 1
        assert len(stand_in.revocations) == 1
        assert AuditEvent.objects.filter(event="connection.expired").count() == 1

    def test_drops_a_link_whose_tokens_do_not_open_and_goes_on(self, traveller, place, make_place, stand_in):
        first, second = traveller.link(place), traveller.link(make_place("Other Practice"))
        StoredTokenSet.objects.filter(pk=first.pk).update(sealed_refresh_token=b"\x01" + bytes(80))
        assert purging.purge_unconfirmed(at=second.created_at + timedelta(minutes=31)) == 2
        assert_nothing_was_left()
        assert revoking.tell_providers(at=second.created_at + timedelta(hours=1)) == 1
        assert len(stand_in.revocations) == 1

    def test_leaves_what_was_confirmed(self, traveller, place):
        connection = traveller.link(place)
        confirming.confirm(connection, candidate=0, at=connection.created_at)
        assert purging.purge_unconfirmed(at=connection.created_at + timedelta(days=1)) == 0
        assert Connection.objects.count() == 1

    def test_deletes_requests_a_day_after_they_were_over(self, traveller, place):
        traveller.leave(place)
        row = AuthorizationRequest.objects.get()
        assert purging.drop_old_requests(at=row.expires_at + timedelta(hours=23)) == 0
        assert purging.drop_old_requests(at=row.expires_at + timedelta(days=1)) == 1

    def test_runs_as_a_task_without_an_argument(self, traveller, place):
        connection = traveller.link(place)
        Connection.objects.update(confirm_by_at=connection.created_at)
        tasks.purge_unconfirmed()
        assert_nothing_was_left()

    def test_deletes_by_the_schedule_the_requests_and_trials_that_are_over(self, traveller, place, stella):
        connection = traveller.link(place)
        traveller.leave(place)
        days_ago = connection.created_at - purging.KEEP_REQUESTS
        AuthorizationRequest.objects.filter(connection=connection).update(expires_at=days_ago)
        of_trial = {"registration": place.registration, "endpoint": place.endpoint, "provider": place.provider}
        for began_at in (connection.created_at - purging.KEEP_TRIALS, connection.created_at):
            Trial.objects.create(staff_id=stella.pk, began_at=began_at, ended_at=began_at, **of_trial)
        tasks.drop_old_requests()
        assert AuthorizationRequest.objects.get().connection is None
        assert Trial.objects.get().began_at == connection.created_at
