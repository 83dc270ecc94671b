"""Signing in again for an existing connection: if it is another person, everything stays as it was."""

from datetime import timedelta

import pytest

from apps.connections import refreshing
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from tests.connections.conftest import page_after
from tests.connections.provider_stand_in import CHILD, CODE, PERSON, bundle, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


class TestReauthorizing:
    def test_the_same_person_renews_the_connection_in_place(self, traveller, place, connection, stand_in):
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "We renewed the connection and kept everything." in page
        assert Connection.objects.get().pk == connection.pk
        assert StoredTokenSet.objects.get().generation == 2

    def test_makes_a_connection_that_was_refused_hold_again(self, traveller, place, connection, stand_in):
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=connection.created_at)
        stand_in.token = tokens(scope="patient/Patient.read")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(place, code=CODE, state=departed.state)
        row = Connection.objects.get()
        assert (row.status, row.reason, row.granted_scope) == ("active", "", "patient/Patient.read")

    def test_another_person_changes_nothing(self, traveller, place, connection, stand_in):
        before = StoredTokenSet.objects.values().get()
        stand_in.patient = http(body=CHILD)
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "This is a different person" in page
        assert "This connection is for Wrenna Quillfeather." in page
        assert StoredTokenSet.objects.values().get() == before
        assert Connection.objects.get().fhir_patient_id == "p-7301"
        assert dict(stand_in.revocations[0].form)["token"] == "second-refresh"

    def test_that_was_cancelled_says_that_the_connection_holds(self, traveller, place, connection):
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        answer = {"error": "access_denied", "state": departed.state}
        page = page_after(traveller, traveller.come_back(place, **answer))
        assert "Nothing changed" in page
        assert "Not connected" not in page
        again = page_after(traveller, traveller.come_back(place, **answer))
        assert "was not renewed. It stays as it was" in again
        assert f'href="/connections/{connection.pk}/"' in again

    def test_that_finds_nobody_says_that_the_connection_holds(self, traveller, place, connection, stand_in):
        stand_in.patient = bundle()
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "did not say whose record this is" in page
        assert "The connection stays as it was, and so does your record." in page
        assert f'href="/connections/{connection.pk}/sign-in/"' in page

    def test_goes_on_with_the_registration_that_asked(self, traveller, connection, newer, stand_in):
        departed = traveller.leave(newer, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(newer, code=CODE, state=departed.state)
        row = Connection.objects.get()
        assert row.registration == newer.registration
        refreshing.usable_token(row, at=connection.created_at + timedelta(hours=1))
        assert dict(stand_in.token_requests[-1].query)["client_id"] == "newer-client"

    def test_among_several_people_finds_the_one_it_is_for(self, traveller, place, connection, stand_in):
        stand_in.patient = bundle(CHILD, PERSON)
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(place, code=CODE, state=departed.state)
        assert AuthorizationRequest.objects.get(is_reauthorization=True).outcome == "completed"

    def test_a_connection_disconnected_meanwhile_stays_disconnected(self, traveller, place, connection, stand_in):
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"})
        traveller.come_back(place, code=CODE, state=departed.state)
        assert Connection.objects.get().status == "disconnected"
        assert not StoredTokenSet.objects.exists()

    def test_to_be_asked_anew_is_not_there_where_nothing_is_asked(self, traveller, connection):
        """Interface A has no consent to extend, and its addresses have exactly their parameters."""
        address = f"/connections/{connection.pk}/sharing/"
        assert traveller.client.get(address).status_code == 404
        assert traveller.client.post(address).status_code == 404
        assert AuthorizationRequest.objects.count() == 1

    def test_is_not_there_for_a_stranger(self, make_traveller, connection, sam):
        assert make_traveller(sam).client.get(f"/connections/{connection.pk}/sign-in/").status_code == 404
