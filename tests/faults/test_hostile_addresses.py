"""Hostile addresses end to end: in a directory file, metadata, next links, redirects, error pages, and name servers.

A trap listens on this machine, where a test's settings would even permit it to be reached: nothing may knock there.
"""

import io
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from apps.connections.models import AuthorizationRequest, Connection
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.records import syncing, tasks
from apps.records.models import Record, SyncRun
from tests.faults import answering
from tests.faults.answering import ALLERGIES, METADATA, PATIENT, PATIENT_ID, Answering
from tests.faults.leavings import assert_nothing_is_left
from tests.faults.test_malformed_answers import Journey, undone
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.wire.servers import Server, http, serving
from tests.wire.test_addresses import HOSTILE

pytestmark = pytest.mark.django_db

ADDRESSES = sorted({url for url, _fault in HOSTILE if url and url == url.strip()})
FIELDS = ("fhir_base_url", "authorize_url", "token_url", "revocation_url")
ROUTES = ("token", "Patient", "metadata", PATIENT_ID, "AllergyIntolerance")
_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def trap() -> Iterator[Server]:
    with serving(http(200, {"resourceType": "Bundle"})) as server:
        yield server


@pytest.fixture
def provider() -> Iterator[Answering]:
    with answering.running() as running:
        yield running


@pytest.fixture
def endpoint(db: None, provider: Answering) -> Endpoint:
    endpoint = make_endpoint(provider.server.url("/fhir/r4"), token_url=provider.server.url("/auth/token"))
    ClientRegistration.objects.update(requests_per_minute=1000)  # dozens of addresses are met in one
    return endpoint


@pytest.fixture
def journey(alice, endpoint) -> Journey:
    return Journey(alice, endpoint)


def synced(connection: Connection) -> SyncRun:
    run = syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
    tasks.sync_next()
    run.refresh_from_db()
    return run


@pytest.fixture
def connection(alice, endpoint) -> Connection:
    made = make_connection(alice, endpoint)
    give_tokens(made, issued_at=timezone.now())
    return made


class TestADirectoryFile:
    @pytest.mark.conformance("C68")
    def test_brings_in_no_hostile_address(self, tmp_path, settings):
        settings.ALLOW_LOOPBACK_HTTP = False
        path = tmp_path / "hostile.json"
        path.write_text(json.dumps({"format": "holdfast-directory/1", "providers": list(rows())}))
        said = io.StringIO()
        try:
            call_command("import_endpoints", path, stdout=said, stderr=said)
        except CommandError as refusal:
            said.write(str(refusal))
        assert len(ADDRESSES) >= 60
        assert not Endpoint.objects.exists()
        assert not AuthorizationServer.objects.exists()
        assert str(len(ADDRESSES) * len(FIELDS)) in said.getvalue()


def rows() -> Iterator[dict[str, Any]]:
    """A provider for each hostile address, in each place that an address can have."""
    for number, url in enumerate(ADDRESSES):
        for field in FIELDS:
            name = f"{field}-{number}"
            given = {known: f"https://{name.replace('_', '-')}.example/{known}" for known in FIELDS} | {field: url}
            server = {known: given[known] for known in FIELDS[1:]}
            row = {"fhir_base_url": given["fhir_base_url"], "fhir_version": "r4", "interface": "patient-access"}
            yield {"id": name, "name": name, "endpoints": [{**row, "authorization_server": server}]}


class TestALinkToTheNextPage:
    @pytest.mark.conformance("C56", "C68")
    def test_is_followed_to_no_hostile_address(self, connection, provider, trap):
        """The first page is kept, the type has a gap with a reason, and nobody was asked for a second page."""
        port = provider.server.port
        near = [
            trap.url("/fhir/r4/AllergyIntolerance?page=2"),
            f"//127.0.0.1:{trap.port}/fhir/r4/AllergyIntolerance",
            f"http://127.0.0.1:{port}@127.0.0.1:{trap.port}/fhir/r4/AllergyIntolerance",
            f"http://localhost:{port}/fhir/r4/AllergyIntolerance",
            f"http://127.0.0.1:{port}/fhir/r4evil/AllergyIntolerance",
            f"http://127.0.0.1:{port}/fhir/r4/../../auth/token",
            f"http://127.0.0.1:{port}/fhir/r4/%2e%2e/%2e%2e/auth/token",
            "../../auth/token",
            "/elsewhere",
        ]
        absolute = [url for url in ADDRESSES if "://" in url]
        followed = [url for url in [*near, *absolute] if self.is_followed(url, connection, provider)]
        assert followed == []
        assert trap.connections == 0

    def is_followed(self, url: str, connection: Connection, provider: Answering) -> bool:
        provider.server.requests.clear()
        page = {**ALLERGIES, "link": [{"relation": "next", "url": url}]}
        provider.told = {"AllergyIntolerance": http(200, json.dumps(page))}
        with undone():
            step = synced(connection).steps.get(resource_type="AllergyIntolerance")
            assert step.status == "gap", url
            assert step.gap, url
            assert Record.objects.filter(resource_type="AllergyIntolerance").count() == 1, url
        asked = [request.path for request in provider.server.requests]
        return sorted(asked) != sorted(
            f"/fhir/r4/{path}" for path in ("metadata", f"Patient/{PATIENT_ID}", "AllergyIntolerance", "Condition")
        )


class TestARedirect:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.conformance("C68")
    def test_is_followed_from_no_route(self, status, journey, provider, trap, connection):
        for route in ROUTES:
            for target in (trap.url("/fhir/r4/Patient"), provider.server.url("/trap"), "http://169.254.169.254/"):
                provider.told = {route: http(status, b"", Location=target)}
                with undone():
                    synced(connection)
                with undone():
                    journey.come_back()
        assert trap.connections == 0
        assert not [request for request in provider.server.requests if request.path == "/trap"]


class TestMetadata:
    @pytest.mark.conformance("C2", "C68")
    def test_leads_nowhere(self, connection, provider, trap):
        """Addresses in a statement are not asked, whatever they are called."""
        url = trap.url("/fhir/r4")
        oauth = {"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"}
        inner = [{"url": name, "valueUri": f"{url}/{name}"} for name in ("authorize", "token", "revoke", "manage")]
        rest = {**METADATA["rest"][0], "security": {"extension": [{**oauth, "extension": inner}]}}
        hostile = {**METADATA, "url": url, "implementation": {"url": url}, "instantiates": [url], "rest": [rest]}
        provider.told = {"metadata": http(200, json.dumps(hostile))}
        assert synced(connection).outcome == "complete"
        assert trap.connections == 0


class TestAnErrorPage:
    @pytest.mark.conformance("C49")
    def test_of_another_host_is_neither_kept_nor_shown(self, journey, provider, trap):
        elsewhere = [
            trap.url("/errors/1"),
            "javascript:alert(1)",
            "//evil.example/",
            "https://evil.example/",
            *ADDRESSES,
        ]
        for url in elsewhere:
            refusal = json.dumps({"error": "invalid_grant", "error_uri": url})
            provider.told = {"token": http(400, refusal)}
            with undone():
                page = journey.come_back()
                assert AuthorizationRequest.objects.get().error_uri == ""
                assert b"More from" not in page.content, url
        assert trap.connections == 0

    @pytest.mark.conformance("C49")
    def test_of_the_provider_is_shown_and_never_asked(self, journey, provider):
        page_there = provider.server.url("/errors/1")
        provider.told = {"token": http(400, json.dumps({"error": "invalid_grant", "error_uri": page_there}))}
        html = " ".join(journey.come_back().content.decode().split())
        assert f'<a class="as-link" href="{page_there}" target="_blank" rel="noopener noreferrer">' in html
        assert [request.path for request in provider.server.requests] == ["/auth/token"]


class TestANameThatChanges:
    """The directory took a public name; by now it leads into this machine or its neighbourhood."""

    @pytest.fixture
    def moved(self, db, monkeypatch, trap) -> Endpoint:
        usual = socket.getaddrinfo

        def resolve(host: str, *rest: Any, **options: Any) -> Any:
            if host != "fhir.harbor.example":
                return usual(host, *rest, **options)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (self.leads_to, trap.port))]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        endpoint = make_endpoint("https://fhir.harbor.example/r4")
        ClientRegistration.objects.update(requests_per_minute=1000)  # none of which gets anywhere
        return endpoint

    leads_to = "127.0.0.1"

    @pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.7", "0.0.0.0", "100.64.0.1"])
    @pytest.mark.conformance("C68")
    def test_is_not_followed_by_a_sign_in(self, address, moved, alice, trap, monkeypatch):
        monkeypatch.setattr(TestANameThatChanges, "leads_to", address)
        page = Journey(alice, moved).come_back()
        assert b"We cannot connect to" in page.content
        assert AuthorizationRequest.objects.get().outcome == "registration_broken"
        assert_nothing_is_left()
        assert trap.connections == 0

    @pytest.mark.conformance("C68")
    def test_is_not_followed_by_a_sync(self, moved, alice, trap):
        connection = make_connection(alice, moved)
        give_tokens(connection, issued_at=timezone.now())
        run = synced(connection)
        assert run.outcome == "failed"
        assert not Record.objects.exists()
        assert trap.connections == 0
        client = Client()
        client.force_login(alice, backend=_BACKEND)
        assert client.get(f"/connections/{connection.pk}/record/").status_code == 200


def test_the_trap_would_be_found_if_it_were_the_provider(connection, provider):
    """The way these tests look is not blind: the right address is asked, and what it says is kept."""
    provider.told = {PATIENT_ID: http(200, json.dumps(PATIENT))}
    assert synced(connection).outcome == "complete"
    assert provider.server.connections >= 1
    assert Record.objects.count() == 3
