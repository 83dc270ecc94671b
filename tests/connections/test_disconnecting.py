"""Disconnect: forgotten here at once, told to the provider, the copy kept or not."""

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.connections import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.records.models import Record
from tests.connections.conftest import BACKEND
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


@pytest.fixture
def connection(traveller, place) -> Connection:
    found = traveller.link(place)
    return confirming.confirm(found, candidate=0, at=found.created_at).connection


@pytest.fixture
def copied(connection) -> Record:
    at = connection.created_at
    return Record.objects.create(
        user=connection.user, connection=connection, resource_type="Patient", logical_id="p-7301", digest=b"d" * 32,
        sealed_body=b"sealed", first_received_at=at, received_at=at, confirmed_at=at,
    )  # fmt: skip


class TestDisconnecting:
    @pytest.mark.conformance("C65")
    def test_forgets_the_tokens_and_tells_the_provider(self, traveller, connection, copied, stand_in):
        answer = traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"}, follow=True)
        assert not StoredTokenSet.objects.exists()
        assert dict(stand_in.revocations[0].form)["token"] == "refresh-canary-e391"
        assert Connection.objects.get().status == "disconnected"
        assert Record.objects.count() == 1
        assert "We also told them to end the permission." in answer.content.decode()

    @pytest.mark.conformance("C65")
    def test_deletes_the_copy_where_that_was_chosen(self, traveller, connection, copied):
        traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"})
        assert not Record.objects.exists()
        assert not Connection.objects.exists()
        assert AuditEvent.objects.filter(event="record.forgotten").exists()

    @pytest.mark.conformance("C65")
    def test_succeeds_here_when_the_provider_does_not_answer(self, traveller, connection, stand_in):
        stand_in.revoke = http(503)
        answer = traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"}, follow=True)
        assert not StoredTokenSet.objects.exists()
        assert "They did not confirm that the permission ended" in answer.content.decode()

    def test_succeeds_where_there_is_no_address_to_tell(self, traveller, connection, place, stand_in):
        server = place.registration.authorization_server
        server.revocation_url = ""
        server.save()
        traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"})
        assert not StoredTokenSet.objects.exists()
        assert stand_in.revocations == []

    @pytest.mark.conformance("C65")
    def test_is_a_question_until_it_is_posted_with_an_answer(self, traveller, connection):
        address = f"/connections/{connection.pk}/disconnect/"
        for answer in (
            traveller.client.get(address),
            traveller.client.get(address, {"copy": "delete"}),
            traveller.client.post(address),
            traveller.client.post(address, {"copy": "everything"}),
        ):
            assert "Stop getting updates from Harbor Family Practice?" in answer.content.decode()
        assert Connection.objects.get().status == "active"

    @pytest.mark.conformance("C65")
    def test_needs_the_token_of_the_form(self, connection, alice):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice, backend=BACKEND)
        assert strict.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"}).status_code == 403
        assert Connection.objects.get().status == "active"

    def test_twice_is_as_once(self, traveller, connection):
        for _ in range(2):
            traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"})
        assert AuditEvent.objects.filter(event="connection.disconnected").count() == 1

    def test_is_not_there_for_a_stranger(self, make_traveller, connection, sam):
        stranger = make_traveller(sam).client
        for answer in (
            stranger.get(f"/connections/{connection.pk}/disconnect/"),
            stranger.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"}),
        ):
            assert answer.status_code == 404
        assert Connection.objects.get().status == "active"
