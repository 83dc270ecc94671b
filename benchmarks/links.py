"""Links to a provider of ours, as linking would have left them: endpoint, registration, connections with tokens."""

import secrets
from datetime import datetime

from django.contrib.auth import get_user_model

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from benchmarks.sync_bodies import PATIENT_ID


def make(origin: str, number: int, *, at: datetime) -> list[Connection]:
    """So many active links, each of a user of its own, with tokens issued at this moment."""
    server = AuthorizationServer.objects.create(
        source="configured", authorize_url=f"{origin}/authorize", token_url=f"{origin}/token", found_at=at
    )
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label="bench",
        status="approved",
        client_id="bench",
        authentication="query",
        versions_added=["r4"],
        minimum_refresh_seconds=0,
        requests_per_minute=1_000_000,  # what copying costs is measured, not how we hold back
    )
    credentials.keep(registration, Secret("bench"), at=at)
    endpoint = Endpoint.objects.create(
        authorization_server=server,
        fhir_base_url=f"{origin}/r4",
        fhir_version="r4",
        interface="patient-access",
        dialect="patient-access",
        imported_at=at,
    )
    provider = Provider.objects.create(directory="bench", directory_id=origin, name="Bench", imported_at=at)
    return [_link(endpoint, provider, registration, at=at) for _number in range(number)]


def _link(endpoint: Endpoint, provider: Provider, registration: ClientRegistration, *, at: datetime) -> Connection:
    user = get_user_model().objects.create_user(f"{secrets.token_hex(8)}@example.org")
    connection = Connection.objects.create(
        user=user,
        endpoint=endpoint,
        provider=provider,
        registration=registration,
        status="active",
        fhir_patient_id=PATIENT_ID,
        created_at=at,
        confirmed_at=at,
    )
    tokens = TokenSet(Secret("a" * 400), 3600, Secret("r" * 400))
    refreshing.keep(connection, tokens, issued_at=at)
    return Connection.objects.select_related("endpoint", "registration__authorization_server").get(pk=connection.pk)
