"""A worker writes while pages of the admin are open: what it wrote stays, and what staff then change is saved."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering, signing
from apps.directory.models import (
    AuthorizationServer,
    ClientRegistration,
    Endpoint,
    Provider,
    ProviderPortal,
    SystemAccount,
)
from apps.wire.secret import Secret
from tests.directory.smart_deployment import AT
from tests.fixtures.admin_pages import Page, address, opened, saved

pytestmark = pytest.mark.django_db
WORKER = Actor.system("tests")


class TestARegistrationsPage:
    @pytest.fixture
    def registration(self, endpoint) -> ClientRegistration:
        return ClientRegistration.objects.get()

    def test_changes_nothing_when_nobody_touched_it(self, staff, registration):
        before = ClientRegistration.objects.values().get()
        saved(staff, registration, opened(staff, registration))
        assert ClientRegistration.objects.values().get() == before
        assert AuditEvent.objects.get(event="directory.changed").facts == {"action": "changed", "changed": ""}

    def test_leaves_trouble_status_and_secret_as_they_are_now(self, staff, registration):
        page = opened(staff, registration)
        registering.mark_trouble(registration, "invalid_client", at=AT)
        credentials.keep(registration, Secret("canary-new"), at=AT)
        registering.move(registration, "retired", actor=WORKER, at=AT)
        row = saved(staff, registration, page, label="theirs")
        assert (row.label, row.trouble, row.status) == ("theirs", "invalid_client", "retired")
        assert credentials.client(row).secret == Secret("canary-new")
        assert row.secret_rotation_due_date == (AT + credentials.ROTATE_AFTER).date()

    @pytest.mark.parametrize("is_given_up", [False, True])
    def test_leaves_a_key_that_was_replaced(self, staff, registration, is_given_up):
        old, new = (signing.make("ES384", actor=WORKER, at=AT) for _ in range(2))
        ClientRegistration.objects.update(signing_key=old, authentication="private_key_jwt")
        page = opened(staff, registration)
        ClientRegistration.objects.update(signing_key=new)
        if is_given_up:
            signing.give_up(old, actor=WORKER, at=timezone.now())
        row = saved(staff, registration, page, versions_added="dstu2", sends_state="true")
        assert (row.signing_key, row.versions_added, row.sends_state) == (new, ["dstu2"], True)

    def test_writes_what_staff_changed_over_what_somebody_else_did(self, staff, registration):
        page = opened(staff, registration)
        ClientRegistration.objects.update(label="of another", uses_pkce=False)
        row = saved(staff, registration, page, label="of staff")
        assert (row.label, row.uses_pkce) == ("of staff", False)

    def test_keeps_workers_away_while_it_is_saved(self, staff, registration):
        page = opened(staff, registration)
        with CaptureQueriesContext(connection) as asked:
            saved(staff, registration, page, label="theirs")
        statements = [query["sql"] for query in asked]
        locked = [number for number, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql]
        (written,) = [number for number, sql in enumerate(statements) if "SET \"label\" = 'theirs' WHERE" in sql]
        assert locked[0] < written

    def test_says_again_what_it_first_showed_after_a_fault(self, staff, registration):
        page = opened(staff, registration)
        ClientRegistration.objects.update(client_id="of a worker")
        refused = Page(staff.post(address(registration), {**page.sent, "label": ""}).content.decode())
        row = saved(staff, registration, refused, label="mended")
        assert (row.label, row.client_id) == ("mended", "of a worker")


class TestAnEndpointsPage:
    def test_leaves_where_discovery_sends_people_now(self, staff, endpoint):
        page = opened(staff, endpoint)
        other = AuthorizationServer.objects.create(
            source="discovered", authorize_url="https://other.example.org/a", token_url="https://other.example.org/t",
            found_at=AT,
        )  # fmt: skip
        Endpoint.objects.update(authorization_server=other, discovered_at=AT, vanished_at=AT)
        row = saved(staff, endpoint, page, tenant="seven")
        assert (row.tenant, row.authorization_server, row.discovered_at, row.vanished_at) == ("seven", other, AT, AT)


class TestAServersPage:
    def test_leaves_what_discovery_found_meanwhile(self, staff, endpoint):
        server = endpoint.authorization_server
        AuthorizationServer.objects.update(id_token_issuers=["https://one.example.org", "https://two.example.org"])
        page = opened(staff, server)
        found = {
            "issuer": "https://fhir.example.org", "revocation_url": "https://fhir.example.org/revoke",
            "id_token_issuers": ["https://one.example.org"], "capabilities": ["sso-openid-connect"],
        }  # fmt: skip
        AuthorizationServer.objects.update(**found)
        row = saved(staff, server, page, source="discovered")
        assert {name: getattr(row, name) for name in found} == found
        assert row.source == "discovered"


class TestAProvidersPage:
    def test_leaves_what_an_import_wrote_meanwhile(self, staff, endpoint):
        provider = Provider.objects.get()
        page = opened(staff, provider)
        Provider.objects.update(city="Fenwick", aliases=["Old Harbor"], vanished_at=AT)
        row = saved(staff, provider, page, postal_code="04101")
        assert (row.postal_code, row.city, row.aliases, row.vanished_at) == ("04101", "Fenwick", ["Old Harbor"], AT)

    def test_has_it_found_by_what_stands_there_now(self, staff, endpoint):
        provider = Provider.objects.get()
        page = opened(staff, provider)
        Provider.objects.update(city="Fenwick")
        row = saved(staff, provider, page, name="Saint Aldate")
        assert {"fenwick", "aldate"} <= set(row.words)
        assert row.plain_name == "saint aldate"

    def test_waits_for_an_import_before_it_holds_the_row(self, staff, endpoint):
        """Which may want the row, and holds the words: each would wait for the other."""
        for row in (Provider.objects.get(), endpoint):
            page = opened(staff, row)
            with CaptureQueriesContext(connection) as asked:
                saved(staff, row, page)
            statements = [query["sql"] for query in asked]
            waits = next(number for number, sql in enumerate(statements) if "pg_advisory_xact_lock_shared" in sql)
            assert waits < next(number for number, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql)


class TestAPortal:
    def test_stays_as_it_is_now_but_for_what_was_changed(self, staff, endpoint):
        page = opened(staff, endpoint)
        ProviderPortal.objects.update(name="of a list")
        saved(staff, endpoint, page, **{"portals-0-url": "https://fernlea.example.org/"})
        portal = ProviderPortal.objects.get()
        assert (portal.name, portal.url) == ("of a list", "https://fernlea.example.org/")
        assert "fernlea" in portal.provider.words


class TestASystemAccountsPage:
    def test_leaves_what_became_of_the_request_meanwhile(self, staff):
        account = SystemAccount.objects.create(description="For records", requested_at=AT)
        page = opened(staff, account)
        SystemAccount.objects.update(status="approved", account_id="7b1d", approved_at=AT)
        row = saved(staff, account, page, client_name="Holdfast")
        assert (row.status, row.account_id, row.approved_at) == ("approved", "7b1d", AT)
        assert row.client_name == "Holdfast"
