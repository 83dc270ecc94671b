"""Hosts that lists have put beside an authorization server, when we register there."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import linkability, switching, trusting
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint, LinkDay
from apps.wire.dialects import DIALECTS
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

STAFF = Actor.system("test")
ADMIN = "/admin/directory/clientregistration/add/"


@pytest.fixture
def server() -> AuthorizationServer:
    base = "https://auth.harbor.example/r4"
    return AuthorizationServer.objects.create(
        source="configured", authorize_url=f"{base}/authorize", token_url=f"{base}/token", found_at=AT
    )


@pytest.fixture
def listed(server: AuthorizationServer) -> Callable[..., Endpoint]:
    """`listed("https://thief.example/r4")`: an endpoint that a list has put beside it."""

    def make(url: str, **columns: Any) -> Endpoint:
        known: dict[str, Any] = {"fhir_version": "r4", "interface": "patient-access", "dialect": "patient-access"}
        known |= {"authorization_server": server, "imported_at": AT}
        return Endpoint.objects.create(fhir_base_url=url, **{**known, **columns})

    return make


def register(server: AuthorizationServer, *, looked_at: Endpoint | None = None) -> ClientRegistration:
    dialect = DIALECTS["patient-access"]
    return trusting.register(server, dialect=dialect, looked_at=looked_at, actor=STAFF, at=AT)


def waiting() -> set[str]:
    rows = Endpoint.objects.filter(is_stranger=True, is_switched_on=False, switched_off_at__isnull=False)
    return set(rows.values_list("fhir_base_url", flat=True))


class TestRegisteringForTheFirstTime:
    def test_switches_off_who_is_at_a_host_that_nobody_looked_at(self, server, listed):
        thief, ours = listed("https://thief.example/r4"), listed("https://fhir.harbor.example/r4")
        listed("https://FHIR.harbor.example:443/b/r4")
        listed("https://auth.harbor.example/fhir/r4")
        register(server, looked_at=ours)
        assert waiting() == {thief.fhir_base_url}
        assert linkability.obstacle(Endpoint.objects.get(pk=thief.pk), at=AT) is Obstacle.STRANGER
        events = AuditEvent.objects.filter(subject="endpoint", facts__action="switched off")
        assert [event.subject_id for event in events] == [str(thief.pk)]

    def test_trusts_hosts_where_patients_are_connected(self, server, listed):
        one, other = listed("https://one.example/r4"), listed("https://two.example/r4")
        LinkDay.objects.create(endpoint=one, date=AT.date(), completed=1)
        LinkDay.objects.create(endpoint=other, date=AT.date(), abandoned=1)
        register(server)
        assert waiting() == {other.fhir_base_url}

    def test_asks_once(self, server, listed):
        register(server)
        late = listed("https://late.example/r4")
        register(server)
        assert late.fhir_base_url not in waiting()

    def test_leaves_other_servers_alone(self, server, listed):
        elsewhere = AuthorizationServer.objects.create(
            source="configured", authorize_url="https://else.example/a", token_url="https://else.example/t", found_at=AT
        )
        listed("https://third.example/r4", authorization_server=elsewhere)
        register(server)
        assert waiting() == set()

    def test_by_the_command_says_how_many_wait(self, server, listed):
        listed("https://thief.example/r4")
        told = io.StringIO()
        call_command(
            "register_client", "--authorization-server", server.authorize_url, stdout=io.StringIO(), stderr=told
        )
        assert waiting() == {"https://thief.example/r4"}
        assert (
            "1 of its endpoints is at another host, and stays off until somebody looks at it at the registration desk."
            in told.getvalue()
        )

    def test_in_the_admin_says_how_many_wait(self, staff: Client, server, listed):
        listed("https://thief.example/r4")
        page = staff.get(ADMIN).context["adminform"].form
        given = {name: page.get_initial_for_field(field, name) for name, field in page.fields.items()}
        given |= {"authorization_server": str(server.pk), "label": "ours", "authentication": "query"}
        answer = staff.post(ADMIN, {name: value for name, value in given.items() if value}, follow=True)
        assert ClientRegistration.objects.filter(authorization_server=server).exists(), answer.context["errors"]
        assert waiting() == {"https://thief.example/r4"}
        assert "at another host, and stays off until somebody looks at it" in answer.content.decode()


class TestSwitchingARegistrationOn:
    """What lists put beside the server before anybody asked, as before this was a rule, or where the rule let it be."""

    @pytest.fixture
    def registration(self, server) -> ClientRegistration:
        return ClientRegistration.objects.create(
            authorization_server=server, label="ours", status="approved", authentication="query", is_switched_on=False
        )

    @staticmethod
    def switch(registration: ClientRegistration, *, is_on: bool = True) -> None:
        switching.switch_registration(registration, is_on=is_on, actor=STAFF, at=AT)

    def test_lets_hosts_wait_that_nobody_looked_at(self, listed, registration):
        listed("https://thief.example/r4")
        listed("https://auth.harbor.example/fhir/r4")
        self.switch(registration)
        assert waiting() == {"https://thief.example/r4"}
        assert AuditEvent.objects.filter(subject="endpoint", facts__action="switched off").count() == 1

    def test_lets_those_be_that_staff_looked_at(self, server, listed):
        begun, other = listed("https://begun.example/r4"), listed("https://other.example/r4")
        registration = register(server, looked_at=begun)
        assert waiting() == {other.fhir_base_url}
        switching.switch_endpoint(other, is_on=True, actor=STAFF, at=AT)
        self.switch(registration, is_on=False)
        self.switch(registration)
        assert waiting() == set()

    def test_lets_those_be_where_patients_are_connected(self, listed, registration):
        LinkDay.objects.create(endpoint=listed("https://one.example/r4"), date=AT.date(), completed=1)
        listed("https://one.example/other/r4")
        self.switch(registration)
        assert waiting() == set()

    def test_twice_asks_once(self, listed, registration):
        self.switch(registration)
        listed("https://late.example/r4")
        self.switch(registration)
        assert waiting() == set()  # an import asks about what comes

    def test_off_asks_nothing(self, listed, registration):
        ClientRegistration.objects.update(is_switched_on=True)
        listed("https://thief.example/r4")
        self.switch(registration, is_on=False)
        assert waiting() == set()

    def test_lets_those_be_where_patients_sign_in_by_another_registration(self, server, listed, registration):
        """Each was asked about when it came there."""
        ours = listed("https://begun.example/r4")
        base = "https://auth.harbor.example/other"
        beside = AuthorizationServer.objects.create(
            source="configured", authorize_url=f"{base}/authorize", token_url=f"{base}/token", found_at=AT
        )
        serving = ClientRegistration.objects.create(
            authorization_server=beside, label="beside", status="approved", authentication="query"
        )
        Enablement.objects.create(registration=serving, endpoint=ours, is_enabled=True, since_at=AT)
        self.switch(registration)
        assert waiting() == set()


class TestAKnownHost:
    @pytest.mark.parametrize(
        "url", ["https://fhir.harbor.example/c", "https://fhir.harbor.example:443/c", "https://FHIR.harbor.example/c"]
    )
    def test_is_one_of_an_endpoint_that_is_on(self, server, listed, url):
        register(server, looked_at=listed("https://Fhir.harbor.example/r4"))
        assert not trusting.is_stranger(listed(url))

    @pytest.mark.parametrize(
        "url",
        [
            "https://fhir.harbor.example.thief.example/r4",
            "https://fhir.harbor.example:8443/r4",
            "https://fhir_harbor.example/r4",
        ],
    )
    def test_is_none_that_only_begins_so(self, server, listed, url):
        register(server, looked_at=listed("https://fhir.harbor.example/r4"))
        assert trusting.is_stranger(listed(url))

    def test_is_none_that_another_only_begins_with(self, server, listed):
        register(server, looked_at=listed("https://fhir.harbor.example.org/r4"))
        assert trusting.is_stranger(listed("https://fhir.harbor.example/r4"))

    def test_is_none_of_one_that_is_off(self, server, listed):
        register(server)
        listed("https://fhir.harbor.example/r4", is_switched_on=False)
        assert trusting.is_stranger(listed("https://fhir.harbor.example/b"))

    def test_is_asked_of_the_index_of_addresses(self, server, listed):
        register(server, looked_at=listed("https://fhir.harbor.example/r4"))
        other = listed("https://fhir.harbor.example/b")
        with CaptureQueriesContext(connection) as asked:
            trusting.is_stranger(other)
        sql = asked[-1]["sql"]
        columns = {"fhir_version": "r4", "interface": "patient-access", "dialect": "patient-access", "imported_at": AT}
        many = (f"https://{number}.example/r4" for number in range(3000))
        Endpoint.objects.bulk_create(
            Endpoint(fhir_base_url=url, authorization_server=server, **columns) for url in many
        )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE directory_endpoint")
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "fhir_base_url" not in sql.partition("FROM")[0]
        assert "endpoint_alike" in plan, plan
