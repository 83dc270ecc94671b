"""Links to the real sandbox by the thousand, as linking would have left them: one registration for each kind of server,
grants there, connections with their tokens here."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory import credentials, discovering
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from development.control import Sandbox

_PATIENT_ACCESS = "Harbor Family Medicine"
_SMART = "Willow Creek Family Medicine"
_TENANT = "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37"  # of the second
_USERNAME = "ruth"
_LINKS_A_USER = 50  # what a user costs is not what is looked at
_GRANTS_A_CALL = 1_000


@dataclass(frozen=True)
class Server:
    """One authorization server, our registration there, and what it knows us by."""

    sandbox: Sandbox
    provider: Provider
    endpoint: Endpoint
    registration: ClientRegistration
    tenant: str

    @property
    def client_id(self) -> str:
        return self.registration.client_id

    def grants(self) -> dict[str, dict[str, Any]]:
        """What it knows of each grant, by the grant's name."""
        rows = self.sandbox.get(f"/control/grants?client_id={self.client_id}&times=1")["grants"]
        return {row["grant"]: row for row in rows}


@dataclass(frozen=True)
class Link:
    """A connection of ours, and the name of its grant at the server."""

    connection_id: UUID
    grant: str


def patient_access(
    sandbox: Sandbox, *, version: str, at: datetime, switches: Mapping[str, str], **columns: Any
) -> Server:
    """Interface A in one FHIR version; the directory was imported. `switches`: the sandbox's, for us alone. `columns`:
    the registration's."""
    provider = Provider.objects.get(name=_PATIENT_ACCESS)
    endpoint = provider.endpoints.get(fhir_version=version, interface="patient-access")
    server = Server(sandbox, provider, endpoint, _registration(endpoint, "query", at, columns), "")
    secret = _keep_secret(server, at)
    sandbox.post(
        "/control/applications",
        name="Bench",
        client_id=server.client_id,
        client_secret=secret,
        redirect_uris=["https://bench.example/back"],
        versions=["dstu2", "r4"],
    )
    sandbox.post("/control/applications/switches", client_id=server.client_id, **switches)
    return server


def smart(sandbox: Sandbox, *, at: datetime, switches: Mapping[str, str], **columns: Any) -> Server:
    """Interface B, R4, discovered; otherwise as `patient_access`."""
    provider = Provider.objects.get(name=_SMART)
    endpoint = provider.endpoints.get(fhir_version="r4", interface="smart")
    discovering.discover(endpoint, at=at)
    endpoint.refresh_from_db()
    registration = _registration(endpoint, "client_secret_basic", at, columns)
    server = Server(sandbox, provider, endpoint, registration, _TENANT)
    secret = _keep_secret(server, at)
    sandbox.post(
        "/control/smart-applications",
        name="Bench",
        client_id=server.client_id,
        client_secret=secret,
        authentication="client_secret_basic",
        redirect_uris=["https://bench.example/back"],
    )
    sandbox.post("/control/applications/switches", client_id=server.client_id, **switches)
    return server


def make(server: Server, number: int, *, at: datetime) -> Iterator[Link]:
    """So many active links there, whose tokens were issued at this moment. It takes a while: they come in batches."""
    given = _given(server, number, at)
    while batch := list(islice(given, _LINKS_A_USER)):
        with transaction.atomic():
            user = get_user_model().objects.create_user(f"{secrets.token_hex(8)}@example.org")
            for answer, connection in batch:
                connection.user = user
                connection.save(force_insert=True)
                refreshing.keep(connection, _token_set(answer), issued_at=at)
        yield from (Link(connection.pk, answer["grant"]) for answer, connection in batch)


def _given(server: Server, number: int, at: datetime) -> Iterator[tuple[dict[str, Any], Connection]]:
    wanted = {"client_id": server.client_id, "username": _USERNAME, "version": server.endpoint.fhir_version}
    if server.tenant:
        wanted["tenant"] = server.tenant
    for start in range(0, number, _GRANTS_A_CALL):
        count = min(_GRANTS_A_CALL, number - start)
        for given in server.sandbox.post("/control/grants", **wanted, number=count)["grants"]:
            yield (
                given,
                Connection(
                    endpoint=server.endpoint,
                    provider=server.provider,
                    registration=server.registration,
                    status="active",
                    fhir_patient_id=given["grant"],  # one living connection per patient
                    granted_scope=given["scope"] if server.tenant else "",
                    created_at=at,
                    confirmed_at=at,
                ),
            )


def _token_set(given: Mapping[str, Any]) -> TokenSet:
    return TokenSet(Secret(given["access_token"]), given["expires_in"], Secret(given["refresh_token"]))


def _registration(
    endpoint: Endpoint, authentication: str, at: datetime, columns: Mapping[str, Any]
) -> ClientRegistration:
    return ClientRegistration.objects.create(
        **{
            "authorization_server": endpoint.authorization_server,
            "label": "bench",
            "status": "approved",
            "client_id": f"bench-{secrets.token_hex(8)}",
            "authentication": authentication,
            "versions_added": ["dstu2", "r4"],
            "approved_at": at,
            "is_sandbox": True,
            **columns,
        }
    )


def _keep_secret(server: Server, at: datetime) -> str:
    secret = f"secret-{secrets.token_hex(16)}"
    credentials.keep(server.registration, Secret(secret), at=at)
    return secret
