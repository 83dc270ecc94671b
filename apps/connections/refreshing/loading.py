"""Load what attempts need of their links by one statement that is built once.

The ORM would load all columns of five tables, and build the statement each time: several times the cost of everything
else that a refresh does in this process. Columns that are left out are loaded on access.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection as database
from django.db.models import Model

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import parking
from apps.directory import reaching
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint

_LINKED = (
    "id", "user_id", "endpoint_id", "provider_id", "registration_id", "status", "reason", "reason_at",
    "fhir_patient_id", "granted_scope", "lapses_at",
)  # fmt: skip
_STORED = (
    "connection_id", "registration_id", "sealed_refresh_token", "token_origin", "generation", "attempt_id",
    "attempt_started_at", "lease_until", "not_before_at", "refresh_issued_at", "refresh_used_at", "refresh_deadline_at",
    "refresh_due_at", "is_rotated", "is_session_bound", "refused_at", "data_refused_at", "tries",
)  # fmt: skip
_ENDPOINT = (
    "id", "authorization_server_id", "fhir_base_url", "fhir_version", "interface", "dialect", "is_sandbox",
    "is_switched_on", "discovery_tried_at", "discovered_at", "discovery_fault", "moved_from_id",
)  # fmt: skip
_REGISTRATION = (
    "id", "authorization_server_id", "label", "status", "is_switched_on", "client_id", "sealed_secret",
    "authentication", "signing_key_id", *reaching.OVERRIDES, "rotates_refresh_tokens", "rotation_seen_at", "trouble",
    "trouble_at", "trouble_seen_at", "is_sandbox",
)  # fmt: skip
_SERVER = ("id", "authorize_url", "token_url", "revocation_url", "is_sandbox")


def _part(alias: str, model: type[Model], columns: Collection[str]) -> tuple[str, type[Model], Collection[str]]:
    """Columns in the order of the model's fields: Django expects values in that order, whatever the names beside
    them."""
    fields = model._meta.concrete_fields  # noqa: SLF001 - public
    return alias, model, {field.attname: None for field in fields if field.attname in columns}.keys()


_PARTS = (
    _part("linked", Connection, _LINKED),
    _part("stored", StoredTokenSet, _STORED),
    _part("endpoint", Endpoint, _ENDPOINT),
    _part("registration", ClientRegistration, _REGISTRATION),
    _part("made_at", AuthorizationServer, _SERVER),
    _part("own", AuthorizationServer, _SERVER),
)

_COLUMNS = ", ".join(f"{alias}.{column}" for alias, _model, columns in _PARTS for column in columns)

# Whether the organization refused us explicitly: `enabling.answered` ends that.
_LOAD = f"""
SELECT statement_timestamp(), EXISTS (
    SELECT FROM directory_enablement AS enablement
    WHERE enablement.registration_id = linked.registration_id AND enablement.endpoint_id = linked.endpoint_id
        AND NOT enablement.is_enabled AND enablement.refused_at IS NOT NULL
), {_COLUMNS}
FROM connections_connection AS linked
JOIN connections_storedtokenset AS stored ON stored.connection_id = linked.id
JOIN directory_endpoint AS endpoint ON endpoint.id = linked.endpoint_id
JOIN directory_clientregistration AS registration ON registration.id = linked.registration_id
JOIN directory_authorizationserver AS made_at ON made_at.id = registration.authorization_server_id
LEFT JOIN directory_authorizationserver AS own ON own.id = endpoint.authorization_server_id
WHERE linked.id = ANY(%(ids)s::uuid[]) AND {parking.IS_REFRESHED} AND endpoint.is_switched_on
    AND (linked.status = 'active' OR %(is_refused_too)s) AND registration.is_switched_on
    AND stored.sealed_refresh_token IS NOT NULL
"""  # noqa: S608 # nosec B608 - of constants alone


@dataclass(frozen=True, repr=False)
class Loaded:
    """One link. The connection holds the rest: its endpoint, registration, their servers, and its token set."""

    connection: Connection
    now: datetime  # on the database's clock
    was_refused: bool  # the organization had not enabled us, when it was last asked


def load(ids: Collection[UUID], *, is_refused_too: bool = False) -> list[Loaded]:
    """Those of these connections that are active, switched on, and have a refresh token. `is_refused_too` includes
    those that were refused and are doubted."""
    with database.cursor() as cursor:
        cursor.execute(_LOAD, {"ids": list(ids), "is_refused_too": is_refused_too})
        return [_loaded(row) for row in cursor.fetchall()]


def _loaded(row: Sequence[Any]) -> Loaded:
    now, was_refused, *values = row
    connection, stored, endpoint, registration, made_at, own = _built(values)
    registration.authorization_server = made_at
    if endpoint.authorization_server_id is not None:
        endpoint.authorization_server = own
    connection.endpoint, connection.registration = endpoint, registration
    stored.connection, stored.registration = connection, registration  # which the connection knows as its own, too
    if connection.status == Connection.Status.ACTIVE:
        stored.refused_at = None  # of earlier tokens: the previous release, during a deploy, does not clear it
    return Loaded(connection, now, was_refused)


def _built(values: Sequence[Any]) -> Iterator[Any]:
    """One object for each part, in their order."""
    begin = 0
    for _alias, model, columns in _PARTS:
        yield model.from_db(database.alias, columns, values[begin : begin + len(columns)])
        begin += len(columns)
