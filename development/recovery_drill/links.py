"""Links to the sandbox for the drill: our registrations there, grants there, and connections with their tokens here."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.connections import refreshing
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.directory import credentials, discovering, registering
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from development.control import Sandbox

_PATIENT_ACCESS = "Harbor Family Medicine"
_SMART = "Willow Creek Family Medicine"
_TENANT = "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37"  # of the second
PERSON = "theo"


@dataclass(frozen=True)
class Server:
    """One authorization server of the sandbox, with one registration of ours there."""

    sandbox: Sandbox
    provider: Provider
    endpoint: Endpoint
    registration: ClientRegistration
    tenant: str = ""

    def link(self, name: str, *, at: datetime) -> Connection:
        """A new person, whose record there has just been linked."""
        user = User.objects.create_user(f"{name}@example.org", first_name=name.title())
        given = self._grant()
        connection = Connection(
            user=user,
            endpoint=self.endpoint,
            provider=self.provider,
            registration=self.registration,
            status=Connection.Status.ACTIVE,
            fhir_patient_id=given.get("patient") or self._patient_id(),
            granted_scope=given.get("scope", "") if self.tenant else "",
            created_at=at,
            confirmed_at=at,
        )
        person = Candidate(connection.fhir_patient_id, f"{name.title()} Example", "")
        connection.sealed_person = candidates.seal_person(connection, person)
        connection.save(force_insert=True)
        refreshing.keep(connection, _tokens(given), issued_at=at)
        return connection

    def sign_in_again(self, connection: Connection, *, at: datetime) -> None:
        """What a new sign-in at the provider gives to an existing connection."""
        refreshing.keep(connection, _tokens(self._grant()), issued_at=at)
        connection.restore()

    def live_grants(self) -> int:
        """How many grants of ours could still be refreshed there."""
        rows = self.sandbox.get(f"/control/grants?client_id={self.registration.client_id}")["grants"]
        return sum(bool(row["live"]) for row in rows)

    def _grant(self) -> dict[str, Any]:
        wanted = {"client_id": self.registration.client_id, "username": PERSON, "version": self.endpoint.fhir_version}
        if self.tenant:
            wanted["tenant"] = self.tenant
        given: dict[str, Any] = self.sandbox.post("/control/grants", **wanted)["grants"][0]
        return given

    def _patient_id(self) -> str:
        accounts = self.sandbox.get("/control/accounts")["accounts"]
        patients = next(one["patients"] for one in accounts if one["username"] == PERSON)
        return str(patients[self.endpoint.fhir_version][0])


def patient_access(sandbox: Sandbox, *, at: datetime, **switches: str) -> Server:
    """Interface A in R4. `switches`: the sandbox's, for this registration alone."""
    provider = Provider.objects.get(name=_PATIENT_ACCESS)
    endpoint = provider.endpoints.get(fhir_version="r4", interface="patient-access")
    server = Server(sandbox, provider, endpoint, _registration(endpoint, "query", at))
    _apply(server, "/control/applications", at, switches, versions=["dstu2", "r4"])
    return server


def smart(sandbox: Sandbox, *, at: datetime) -> Server:
    """Interface B in R4, with offline access."""
    provider = Provider.objects.get(name=_SMART)
    endpoint = provider.endpoints.get(fhir_version="r4", interface="smart")
    discovering.discover(endpoint, at=at)
    endpoint.refresh_from_db()
    server = Server(sandbox, provider, endpoint, _registration(endpoint, "client_secret_basic", at), _TENANT)
    _apply(server, "/control/smart-applications", at, {}, authentication="client_secret_basic")
    return server


def _registration(endpoint: Endpoint, authentication: str, at: datetime) -> ClientRegistration:
    """Each server has one; links made with a retired one continue."""
    assert endpoint.authorization_server is not None, "it was discovered"
    earlier = ClientRegistration.objects.filter(authorization_server=endpoint.authorization_server)
    earlier.update(status=ClientRegistration.Status.RETIRED)
    return ClientRegistration.objects.create(
        authorization_server=endpoint.authorization_server,
        label="drill",
        status="approved",
        client_id=f"drill-{secrets.token_hex(8)}",
        authentication=authentication,
        versions_added=["dstu2", "r4"],
        approved_at=at,
        is_sandbox=True,
        requests_per_minute=600,  # the sandbox bears it, and a copy is made without waiting for a minute to pass
    )


def _apply(server: Server, where: str, at: datetime, switches: Mapping[str, str], **application: Any) -> None:
    secret = f"secret-{secrets.token_hex(16)}"
    registration = server.registration
    credentials.keep(registration, Secret(secret), at=at)
    server.sandbox.post(
        where,
        name="Drill",
        client_id=registration.client_id,
        client_secret=secret,
        redirect_uris=[registering.redirect_uri(registration)],
        **application,
    )
    server.sandbox.post("/control/applications/switches", client_id=registration.client_id, **switches)


def _tokens(given: Mapping[str, Any]) -> TokenSet:
    return TokenSet(Secret(given["access_token"]), given["expires_in"], Secret(given["refresh_token"]))
