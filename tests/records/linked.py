"""Rows that tests of records and of the portal begin with: a provider, its endpoint, and a user's connection to it."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

from apps.accounts.models import User
from apps.connections import refreshing
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import AuthorizationRequest, Connection
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.records.people import PATIENT_ID

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
# Pages list providers in the order in which they were linked, so no two are linked at the same moment.
_LINKED: Final = count()


def make_endpoint(
    base_url: str = "https://fhir.example/r4",
    *,
    version: str = "r4",
    token_url: str = "",
    is_sandbox: bool = False,
    **columns: Any,
) -> Endpoint:
    """Make an endpoint of interface A with an authorization server, an approved registration and a provider."""
    server = AuthorizationServer.objects.create(
        source="configured",
        authorize_url=f"{base_url}/authorize",
        token_url=token_url or f"{base_url}/token",
        found_at=AT,
        is_sandbox=is_sandbox,
    )
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label="ours",
        status="approved",
        client_id="holdfast",
        authentication="query",
        versions_added=[version],
        minimum_refresh_seconds=0,
        is_sandbox=is_sandbox,
    )
    credentials.keep(registration, Secret("s3cret-canary"), at=AT)
    endpoint = Endpoint.objects.create(
        authorization_server=server,
        fhir_base_url=base_url,
        fhir_version=version,
        interface="patient-access",
        dialect="patient-access",
        imported_at=AT,
        is_sandbox=is_sandbox,
        **columns,
    )
    endpoint.providers.add(
        Provider.objects.create(
            directory="tests",
            directory_id=base_url,
            name="Harbor Family Practice",
            imported_at=AT,
            is_sandbox=is_sandbox,
        )
    )
    return endpoint


def make_connection(user: User, endpoint: Endpoint | None = None, **columns: Any) -> Connection:
    """Make a connection. It is active, and confirmed for the patient of `people`, unless the columns say otherwise."""
    endpoint = endpoint or make_endpoint()
    assert endpoint.authorization_server is not None
    given = {
        "status": "active",
        "fhir_patient_id": PATIENT_ID,
        "created_at": AT - timedelta(minutes=5) + timedelta(microseconds=next(_LINKED)),
        "confirmed_at": AT - timedelta(minutes=1),
        **columns,
    }
    connection = Connection(
        user=user,
        endpoint=endpoint,
        provider=endpoint.providers.get(),
        registration=endpoint.authorization_server.registrations.get(),
        **given,
    )
    if connection.confirmed_at is not None:
        person = Candidate(PATIENT_ID, "Wrenna Quillfeather", "1984-03-09")
        connection.sealed_person = candidates.seal_person(connection, person)
    connection.save(force_insert=True)
    return connection


def give_tokens(connection: Connection, *, issued_at: datetime = AT) -> None:
    """Store an access token that is valid for an hour, and a refresh token."""
    tokens = TokenSet(
        access_token=Secret("access-canary"), expires_in_seconds=3600, refresh_token=Secret("refresh-canary")
    )
    refreshing.keep(connection, tokens, issued_at=issued_at)


def sign_in_again(connection: Connection, *, at: datetime) -> AuthorizationRequest:
    """Record that the patient reauthorized the connection at that time."""
    return AuthorizationRequest.objects.create(
        user=connection.user,
        endpoint=connection.endpoint,
        provider=connection.provider,
        registration=connection.registration,
        connection=connection,
        is_reauthorization=True,
        state_hash=b"state",
        browser_hash=b"browser",
        created_at=at,
        expires_at=at + timedelta(minutes=10),
        claimed_at=at,
        outcome="completed",
    )
