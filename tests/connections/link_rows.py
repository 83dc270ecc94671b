"""Make links directly as rows: a registration, and as many links as a test needs, each with its own times."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

TOKEN_COLUMNS = {column.name for column in StoredTokenSet._meta.concrete_fields}


@pytest.fixture
def make_registration(db: None) -> Callable[..., ClientRegistration]:
    """`make_registration("Harbor gateway", trouble="invalid_client")`, with one endpoint."""

    def make(label: str = "Harbor gateway", **columns: Any) -> ClientRegistration:
        host = f"https://{uuid.uuid4().hex}.example"
        server = AuthorizationServer.objects.create(
            authorize_url=f"{host}/authorize", token_url=f"{host}/token", source="configured", found_at=NOW
        )
        Endpoint.objects.create(
            fhir_base_url=f"{host}/fhir",
            authorization_server=server,
            fhir_version="r4",
            interface="patient-access",
            dialect="patient-access",
            imported_at=NOW,
        )
        return ClientRegistration.objects.create(
            authorization_server=server, label=label, status="approved", authentication="query", **columns
        )

    return make


@pytest.fixture
def registration(make_registration: Callable[..., ClientRegistration]) -> ClientRegistration:
    return make_registration()


@pytest.fixture
def provider(db: None) -> Provider:
    return Provider.objects.create(directory="tests", directory_id="harbor", name="Harbor Practice", imported_at=NOW)


@pytest.fixture
def make_link(alice: Any, provider: Provider, registration: ClientRegistration) -> Callable[..., Connection]:
    """An active link; columns of its token set and of itself by name, such as `refresh_due_at` and `status`."""

    def make(under: ClientRegistration = registration, **columns: Any) -> Connection:
        has_tokens = columns.pop("has_tokens", True)
        of_tokens = {name: columns.pop(name) for name in list(columns) if name in TOKEN_COLUMNS}
        given = {
            "user": alice,
            "provider": provider,
            "status": "active",
            "fhir_patient_id": f"canary-patient-{uuid.uuid4().hex}",
            "sealed_person": b"canary-person",
            "granted_scope": "canary-scope",
            "created_at": NOW - timedelta(days=3),
            "confirmed_at": NOW - timedelta(days=3),
            **columns,
        }
        endpoint = given.pop("endpoint", None) or under.authorization_server.endpoints.get()
        link = Connection.objects.create(registration=under, endpoint=endpoint, **given)
        if has_tokens:
            StoredTokenSet.objects.create(
                connection=link,
                registration=under,
                sealed_access_token=b"canary-access",
                sealed_refresh_token=b"canary-refresh",
                **of_tokens,
            )
        return link

    return make
