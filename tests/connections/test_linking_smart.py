"""A patient links a record on a SMART deployment of the sandbox, from "continue" to the confirmed person."""

import base64
import hashlib
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from apps.connections import revoking
from apps.connections.authorization_requests import creating
from apps.connections.grants import granted_access, launch_context
from apps.connections.models import Connection
from apps.connections.views import waiting_room
from apps.directory import discovering, enabling
from apps.directory.models import AuthorizationServer, Endpoint
from tests.connections.deployments import NOBODY, RIVERSIDE, WILLOW_CREEK, place_at

pytestmark = pytest.mark.django_db

EVERY_CLIENT = ["client_secret_basic", "none", "private_key_jwt", "client_secret_post"]


def query(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query, keep_blank_values=True)


def form(request) -> dict[str, list[str]]:
    return parse_qs(request["body"], keep_blank_values=True)


class TestLinkingADeployment:
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    @pytest.mark.parametrize("authentication", EVERY_CLIENT)
    def test_ends_with_the_confirmed_record(self, deploy, patient, version, authentication):
        place = deploy(version=version, authentication=authentication)
        connection = patient.found(place)
        page = patient.get(f"/connections/{connection.pk}/confirm/")
        assert "Ruth Ann Alder" in page.html
        assert "February 11, 1963" in page.html
        patient.confirm(connection)
        connection.refresh_from_db()
        assert connection.status == Connection.Status.ACTIVE
        assert connection.provider.name == WILLOW_CREEK
        assert connection.endpoint == place.endpoint
        assert connection.fhir_patient_id

    @pytest.mark.conformance("C25", "C27", "C29")
    def test_sends_what_the_specification_names(self, deploy, patient):
        """S2, word for word, as it arrived."""
        place = deploy()
        left_by = patient.leave(place)
        sent = query(left_by)
        scope = sent.pop("scope")[0].split(" ")
        state, nonce, challenge = (sent.pop(name)[0] for name in ("state", "nonce", "code_challenge"))
        assert sent == {
            "response_type": ["code"],
            "client_id": [place.registration.client_id],
            "redirect_uri": [f"http://127.0.0.1:8000/connect/return/{place.registration.redirect_id}/"],
            "aud": [place.endpoint.fhir_base_url],
            "code_challenge_method": ["S256"],
        }
        assert len({state, nonce, challenge}) == 3
        assert min(len(state), len(nonce), len(challenge)) == 43
        assert scope[:4] == ["launch/patient", "openid", "fhirUser", "offline_access"]
        assert "patient/Patient.rs" in scope
        assert "patient/AllergyIntolerance.rs" in scope
        assert not [name for name in scope if name.startswith("system/")]

    @pytest.mark.conformance("C32", "C33", "C34")
    def test_exchanges_the_code_as_the_specification_says(self, deploy, patient):
        """S3, word for word, as it arrived: the form, what was sent before, and no secret in it."""
        place = deploy()
        patient.found(place)
        (request,) = place.sent(to="/token")
        assert request["query"] == ""
        sent = form(request)
        verifier = sent.pop("code_verifier")[0]
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        left = query(patient.left_by)
        assert challenge == left["code_challenge"][0]
        assert len(sent.pop("code")) == 1
        assert sent == {
            "grant_type": ["authorization_code"],
            "client_id": left["client_id"],
            "redirect_uri": left["redirect_uri"],
            "state": left["state"],
        }
        assert f"/tenants/{place.endpoint.tenant}/hosts/myrecord/" in request["path"]

    @pytest.mark.conformance("C37")
    def test_reads_the_patient_the_token_answer_names(self, deploy, patient):
        place = deploy()
        connection = patient.found(place)
        (request,) = place.sent(to="/Patient", method="GET")
        assert request["path"].rpartition("/")[2]
        patient.confirm(connection)
        connection.refresh_from_db()
        assert request["path"].endswith(f"/Patient/{connection.fhir_patient_id}")

    def test_is_for_nobody_else(self, deploy, patient, sam):
        connection = patient.found(deploy())
        patient.client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        assert patient.get(f"/connections/{connection.pk}/confirm/").status == 404


class TestTheState:
    @pytest.mark.conformance("C32")
    @pytest.mark.parametrize(("sends_state", "goes_along"), [(None, True), (True, True), (False, False)])
    def test_goes_along_in_the_exchange_as_the_registration_says(self, deploy, patient, sends_state, goes_along):
        place = deploy(sends_state=sends_state)
        patient.found(place)
        (request,) = place.sent(to="/token")
        assert ("state" in form(request)) is goes_along


class TestTheWayOut:
    def test_waits_for_a_seat_only_where_the_provider_is_asked_first(self, deploy, patient, monkeypatch):
        """Discovery holds a thread as long as an exchange may."""
        place = deploy()
        monkeypatch.setattr(waiting_room, "ROOM", waiting_room.WaitingRoom(seats=0, seats_for_one=0))
        assert patient.leave(place)
        Endpoint.objects.update(discovered_at=None, discovery_tried_at=None)
        assert patient.client.post(place.before_you_go).status_code == 503
        assert place.sent(to="/.well-known/smart-configuration", method="GET") == []

    def test_tells_of_too_many_open_before_it_asks_anybody(self, deploy, patient):
        place = deploy()
        for _ in range(creating.MOST_OPEN):
            patient.leave(place)
        Endpoint.objects.update(discovered_at=None, discovery_tried_at=None)
        assert patient.client.post(place.before_you_go).status_code == 409
        assert place.sent(to="/.well-known/smart-configuration", method="GET") == []

    @pytest.mark.conformance("C22")
    def test_asks_again_where_the_addresses_are_a_day_old(self, deploy, patient):
        place = deploy()
        yesterday = timezone.now() - timedelta(hours=25)
        Endpoint.objects.update(discovered_at=yesterday, discovery_tried_at=yesterday)
        patient.leave(place)
        assert len(place.sent(to="/.well-known/smart-configuration", method="GET")) == 1
        patient.leave(place)
        assert len(place.sent(to="/.well-known/smart-configuration", method="GET")) == 1


class TestARegistrationThatServesANeighbour:
    """Made at one organization's authorization server, enabled at another's below the same origin."""

    @pytest.fixture
    def neighbour(self, deploy):
        """Where it serves; its own server says nothing of revocation."""
        place = deploy(asks_identity=False)
        provider, endpoint = place_at(place.sandbox, provider=RIVERSIDE)
        discovering.discover(endpoint, at=timezone.now())
        enabling.serve(place.registration, endpoint, actor=NOBODY, at=timezone.now())
        AuthorizationServer.objects.filter(registrations=place.registration).update(revocation_url="")
        return replace(place, provider=provider, endpoint=endpoint)

    @pytest.mark.conformance("C22")
    def test_sends_and_revokes_at_the_neighbour_s_own_addresses(self, neighbour, patient):
        connection = patient.found(neighbour)
        assert f"/tenants/{neighbour.endpoint.tenant}/" in patient.left_by
        patient.post(f"/connections/{connection.pk}/confirm/", answer="no")
        revoking.tell_providers(at=timezone.now())
        sent = [(request["path"].rpartition("/")[2], request["status"]) for request in neighbour.sent(to="/token")]
        assert sent == [("token", 200), ("revoke", 200)]
        assert all(f"/tenants/{neighbour.endpoint.tenant}/" in one["path"] for one in neighbour.sent(to="/token"))


class TestTheSamePersonOnceMore:
    @pytest.mark.conformance("C36")
    def test_renews_the_connection_with_what_is_shared_now(self, deploy, patient):
        place = deploy()
        first = patient.found(place, chosen={"patient/Goal.rs": False})
        patient.confirm(first)
        place.set(scope="launch/patient openid fhirUser offline_access patient/Patient.rs patient/Immunization.rs")
        second = patient.found(place, chosen={"patient/Immunization.rs": False})
        patient.confirm(second)
        kept = Connection.objects.get()
        assert kept.pk == first.pk
        assert granted_access.left_out(kept) == ("Vaccines",)
        assert granted_access.readable_types(kept) == frozenset({"Patient"})
        assert launch_context.find(kept).fhir_user == f"Patient/{kept.fhir_patient_id}"

    @pytest.mark.conformance("C36")
    def test_signing_in_again_is_compared_with_what_is_asked_now(self, deploy, patient):
        place = deploy()
        connection = patient.found(place)
        patient.confirm(connection)
        place.set(scope="launch/patient openid fhirUser offline_access patient/Patient.rs patient/Immunization.rs")
        patient.go_again(f"/connections/{connection.pk}/sign-in/")
        connection.refresh_from_db()
        assert granted_access.left_out(connection) == ()
        assert granted_access.readable_types(connection) == frozenset({"Patient", "Immunization"})
