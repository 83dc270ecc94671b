"""Link every record that the sandbox serves, and copy it, as the site does: over HTTP, through a sync run."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.records import syncing
from apps.records.models import SyncRun
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from development.control import Sandbox

VERSIONS = ("dstu2", "r4")
_CLIENT_ID = "holdfast-coverage"
_MOST_SLICES = 200


@dataclass(frozen=True)
class Copied:
    """One record: whose it is, how its run ended, and what the run lacks, by type."""

    username: str
    version: str
    connection: Connection
    outcome: str
    gaps: dict[str, str]


def everything(sandbox: Sandbox) -> Iterator[Copied]:
    """Every record of every account, one after the other. Each has a user of its own."""
    sandbox.post("/control/switches", page_limit="1000")
    _register(sandbox)
    endpoints = {version: _endpoint(sandbox, version) for version in VERSIONS}
    for account in sandbox.get("/control/accounts")["accounts"]:
        for version in VERSIONS:
            for patient_id in account["patients"].get(version, ()):
                connection = _link(sandbox, endpoints[version], account["username"], patient_id)
                run = _copy(connection)
                gaps = dict(run.steps.exclude(gap__in=("", "not-offered")).values_list("resource_type", "gap"))
                yield Copied(account["username"], version, connection, run.outcome, gaps)


def _register(sandbox: Sandbox) -> None:
    sandbox.post(
        "/control/applications",
        name="Holdfast",
        client_id=_CLIENT_ID,
        client_secret="s3cret",
        redirect_uris=["http://127.0.0.1:8000/callback"],
        versions=list(VERSIONS),
        status="approved",
    )


def _endpoint(sandbox: Sandbox, version: str) -> Endpoint:
    base_url, at = f"{sandbox.origin}/a/{version}/fhir/{version}/", timezone.now()
    server = AuthorizationServer.objects.create(
        source="configured",
        authorize_url=f"{base_url}authorize",
        token_url=f"{base_url}token",
        found_at=at,
        is_sandbox=True,
    )
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label="coverage",
        status="approved",
        client_id=_CLIENT_ID,
        authentication="query",
        versions_added=[version],
        requests_per_minute=1_000_000,
        is_sandbox=True,
    )
    credentials.keep(registration, Secret("s3cret"), at=at)
    endpoint = Endpoint.objects.create(
        authorization_server=server,
        fhir_base_url=base_url,
        fhir_version=version,
        interface="patient-access",
        dialect="patient-access",
        imported_at=at,
        is_sandbox=True,
    )
    endpoint.providers.add(
        Provider.objects.create(
            directory="coverage", directory_id=version, name="Other People", imported_at=at, is_sandbox=True
        )
    )
    return endpoint


def _link(sandbox: Sandbox, endpoint: Endpoint, username: str, patient_id: str) -> Connection:
    at = timezone.now()
    wanted = {"client_id": _CLIENT_ID, "username": username, "version": endpoint.fhir_version}
    token: dict[str, Any] = sandbox.post("/control/grants", **wanted)["grants"][0]
    assert endpoint.authorization_server is not None
    connection = Connection.objects.create(
        user=get_user_model().objects.create_user(f"{secrets.token_hex(8)}@example.org"),
        endpoint=endpoint,
        provider=endpoint.providers.get(),
        registration=endpoint.authorization_server.registrations.get(),
        status="active",
        fhir_patient_id=patient_id,
        created_at=at,
        confirmed_at=at,
    )
    tokens = TokenSet(Secret(token["access_token"]), 3600, Secret("none"))
    refreshing.keep(connection, tokens, issued_at=at)
    return Connection.objects.select_related("endpoint", "registration__authorization_server").get(pk=connection.pk)


def _copy(connection: Connection) -> SyncRun:
    """One run to its end. Its pauses are skipped: time is told to it, not waited for."""
    at: datetime = timezone.now()
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    for _slice in range(_MOST_SLICES):
        SyncRun.objects.filter(pk=run.pk).update(lease_until=None)
        syncing.advance(run.pk, at=timezone.now() + timedelta(seconds=_slice))
        run.refresh_from_db()
        if run.finished_at is not None:
            return run
    raise AssertionError(f"the copy of {connection.pk} does not end")
