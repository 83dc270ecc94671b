"""Our standing at an authorization server: status, secret, versions, trouble, redirect URI."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import resolve

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering, switching
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.directory.registering import Status
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import ClientRejected
from apps.wire.secret import Secret
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
A = DIALECTS["patient-access"]


@pytest.fixture
def server():
    return AuthorizationServer.objects.create(
        source="configured",
        authorize_url="https://a.example/authorize",
        token_url="https://a.example/token",
        found_at=AT,
    )


@pytest.fixture
def registration(server):
    return registering.request(server, dialect=A, actor=ACTOR, at=AT)


class TestARegistration:
    def test_begins_as_a_request_that_overrides_nothing(self, registration):
        assert registration.status == "requested"
        assert (registration.refresh_window_hours, registration.minimum_refresh_seconds) == (None, None)
        assert registration.authentication == "query"
        assert not registration.uses_pkce

    def test_is_one_while_it_stands(self, server, registration):
        again = registering.request(server, dialect=A, actor=ACTOR, at=AT)
        assert again.pk == registration.pk
        registering.move(registration, Status.REJECTED, actor=ACTOR, at=AT)
        assert registering.request(server, dialect=A, actor=ACTOR, at=AT).pk != registration.pk

    def test_becomes_provisional_with_credentials_and_active_with_approval(self, registration):
        registering.store_credentials(registration, client_id="c", secret=Secret("s"), actor=ACTOR, at=AT)
        assert registration.status == "provisional"
        registering.approve(registration, actor=ACTOR, at=AT)
        registering.approve(registration, actor=ACTOR, at=AT)
        assert (registration.status, registration.approved_at) == ("approved", AT)

    @pytest.mark.parametrize("status", list(Status))
    def test_moves_only_as_the_table_allows(self, registration, status):
        for target in Status:
            ClientRegistration.objects.update(status=status)
            if target in ClientRegistration.MOVES[status]:
                registering.move(registration, target, actor=ACTOR, at=AT)
                assert ClientRegistration.objects.get().status == target
            else:
                with pytest.raises(registering.StatusNotAllowed):
                    registering.move(registration, target, actor=ACTOR, at=AT)

    def test_keeps_versions_and_switch(self, registration):
        registering.set_versions(registration, {FhirVersion.R4, FhirVersion.DSTU2}, actor=ACTOR, at=AT)
        switching.switch_registration(registration, is_on=False, actor=ACTOR, at=AT)
        row = ClientRegistration.objects.get()
        assert (row.versions_added, row.is_switched_on) == (["dstu2", "r4"], False)

    def test_is_marked_once_for_the_same_trouble(self, registration):
        for _ in range(2):
            registering.mark_trouble(registration, "invalid_client", at=AT)
        assert AuditEvent.objects.filter(facts__action="trouble").count() == 1
        registering.clear_trouble(registration, actor=ACTOR, at=AT)
        assert ClientRegistration.objects.get().trouble == ""

    def test_in_trouble_is_tried_again_after_a_while(self, registration):
        registering.mark_trouble(registration, "invalid_client", at=AT)
        again = AT + registering.TRY_AGAIN_AFTER
        assert registering.is_in_trouble(registration, at=again - timedelta(seconds=1))
        assert not registering.is_in_trouble(registration, at=again)
        registering.mark_trouble(registration, "invalid_client", at=again)
        assert registering.is_in_trouble(registration, at=again)
        assert (registration.trouble_at, registration.trouble_seen_at) == (AT, again)

    def test_is_out_of_trouble_with_the_first_answer(self, registration, django_assert_num_queries):
        registering.mark_trouble(registration, "invalid_client", at=AT)
        registering.accepted(registration, at=AT)
        assert not registering.is_in_trouble(registration, at=AT)
        with django_assert_num_queries(0):
            registering.accepted(registration, at=AT)
        actions = [event.facts["action"] for event in AuditEvent.objects.order_by("pk")]
        assert actions == ["requested", "trouble", "trouble cleared"]

    def test_keeps_its_terms_and_says_which_changed(self, registration):
        for _ in range(2):
            terms = registering.Terms(authentication=Authentication.NONE, refresh_scope="", asks_identity=True)
            registering.set_terms(registration, terms, actor=ACTOR, at=AT)
        row = ClientRegistration.objects.get()
        assert (row.authentication, row.refresh_scope, row.asks_identity) == ("none", "", True)
        (event,) = AuditEvent.objects.filter(facts__action="terms set")
        assert event.facts["changed"] == "authentication asks_identity"

    def test_leaves_every_change_in_the_audit_log_and_no_secret(self, registration):
        registering.store_credentials(registration, client_id="c", secret=Secret("canary"), actor=ACTOR, at=AT)
        registering.approve(registration, actor=ACTOR, at=AT)
        actions = [event.facts["action"] for event in AuditEvent.objects.order_by("pk")]
        assert actions == ["requested", "secret stored", "credentials stored", "moved"]
        assert "canary" not in str(list(AuditEvent.objects.values()))


class TestTheRedirectUri:
    @pytest.mark.conformance("C7")
    def test_is_our_origin_with_an_id_that_no_other_registration_has(self, registration, settings):
        settings.SITE_ORIGIN = "https://holdfast.example"
        uri = registering.redirect_uri(registration)
        assert uri == f"https://holdfast.example/connect/return/{registration.redirect_id}/"

    def test_is_answered_by_the_callback(self, registration):
        path = registering.redirect_uri(registration).removeprefix("http://testserver")
        assert resolve(path).url_name == "return"


class TestTheSecret:
    def test_is_sealed_and_opened_in_one_place(self, registration):
        registering.store_credentials(registration, client_id="c", secret=Secret("canary"), actor=ACTOR, at=AT)
        assert b"canary" not in bytes(registration.sealed_secret)
        client = credentials.client(registration)
        assert client.secret == Secret("canary")
        assert "canary" not in repr(client)

    def test_opens_for_no_other_registration(self, registration, server):
        registering.store_credentials(registration, client_id="c", secret=Secret("canary"), actor=ACTOR, at=AT)
        other = ClientRegistration(authorization_server=server, client_id="d", authentication="query")
        other.sealed_secret = registration.sealed_secret
        with pytest.raises(Exception, match="changed, moved"):
            credentials.client(other)

    def test_that_is_missing_is_said_before_anything_is_sent(self, registration):
        with pytest.raises(ClientRejected):
            credentials.client(registration)


class TestTheDatabase:
    @pytest.mark.conformance("C73")
    def test_refuses_a_sandbox_registration_at_a_production_server(self, server):
        row = ClientRegistration.objects.create(
            authorization_server=server, label="x", authentication="query", is_sandbox=True
        )
        with pytest.raises(IntegrityError), transaction.atomic():
            _check_now()
        row.delete()

    @pytest.mark.conformance("C73")
    def test_refuses_a_sandbox_endpoint_at_a_production_server(self, server):
        row = Endpoint.objects.create(
            authorization_server=server, fhir_base_url="https://a.example/fhir", fhir_version="r4",
            interface="patient-access", dialect="patient-access", imported_at=AT, is_sandbox=True,
        )  # fmt: skip
        with pytest.raises(IntegrityError), transaction.atomic():
            _check_now()
        row.delete()

    def test_refuses_a_second_standing_registration(self, server, registration):
        with pytest.raises(IntegrityError), transaction.atomic():
            ClientRegistration.objects.create(authorization_server=server, label="x", authentication="query")


def _check_now() -> None:
    """The rule is checked when a transaction ends; inside a test's transaction, now."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
