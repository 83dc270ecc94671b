"""A SMART deployment that gives us system access; its token endpoint answers what it is told to."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.directory import credentials, system_access
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, SystemAccount
from apps.wire.secret import Secret
from tests.directory.conftest import AT
from tests.wire.servers import Server, http, serving

GUID = "3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35"
SCOPES = ("system/Patient.read", "system/Observation.read")
ACCESS = "eyJ.canary-access-6f1d.token"
SECRET = "canary-secret-9e2b"
ANSWER = {"access_token": ACCESS, "token_type": "Bearer", "expires_in": 570, "scope": " ".join(SCOPES)}


@pytest.fixture
def server() -> Iterator[Server]:
    """The authorization server's token address, and what it answers."""
    with serving(http(200, ANSWER)) as there:
        yield there


@pytest.fixture
def endpoint(server: Server, make_provider: Any) -> Endpoint:
    """An endpoint of a SMART deployment with a registration that has a secret and an approved system account."""
    account = SystemAccount.objects.create(
        account_id=GUID, status="approved", description="D", requested_at=AT, approved_at=AT
    )
    there = AuthorizationServer.objects.create(
        source="discovered", authorize_url=server.url("/authorize"), token_url=server.url("/token"), found_at=AT
    )
    row = ClientRegistration.objects.create(
        authorization_server=there,
        label="ours",
        status="approved",
        client_id="holdfast",
        authentication="client_secret_basic",
        versions_added=["r4"],
        system_account=account,
        smart_version="v1",
    )
    credentials.keep(row, Secret(SECRET), at=AT)
    made = Endpoint.objects.create(
        fhir_base_url=server.url("/r4"),
        fhir_version="r4",
        interface="smart",
        dialect="smart",
        authorization_server=there,
        imported_at=AT,
    )
    made.providers.add(make_provider("Harbor"))
    return made


@pytest.fixture
def registration(endpoint: Endpoint) -> ClientRegistration:
    return ClientRegistration.objects.get()


def ask(endpoint: Endpoint, scopes: Any = SCOPES) -> system_access.SystemToken:
    return system_access.system_token(Endpoint.objects.get(pk=endpoint.pk), scopes=scopes, at=AT)
