"""The connections that a record comes from, as its pages tell of them: each with its provider and its endpoint."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from apps.connections.models import Connection
from apps.directory.models import Endpoint, Provider
from apps.records.binary_cursors import binary_cursor

# What pages ask of each; anything else is fetched where it is asked for.
_LINK: Final = (
    "id", "user_id", "endpoint_id", "provider_id", "status", "fhir_patient_id", "sealed_person", "last_checked_at",
)  # fmt: skip
_PROVIDER: Final = ("id", "name")
_ENDPOINT: Final = ("id", "fhir_base_url", "fhir_version", "interface")


def _columns(table: str, names: Sequence[str]) -> str:
    return ", ".join(f"{table}.{name}" for name in names)


# Written out, as every page asks it: putting it together anew, with every column of three tables, costs four times as
# much as asking.
_CONFIRMED: Final = f"""
SELECT {_columns("link", _LINK)}, {_columns("provider", _PROVIDER)}, {_columns("endpoint", _ENDPOINT)}
FROM connections_connection AS link JOIN directory_provider AS provider ON provider.id = link.provider_id
JOIN directory_endpoint AS endpoint ON endpoint.id = link.endpoint_id
WHERE link.user_id = %(user_id)s AND link.confirmed_at IS NOT NULL ORDER BY link.created_at
"""  # noqa: S608  # nosec B608 -- names of columns, written above


def confirmed(user_id: UUID) -> tuple[Connection, ...]:
    """Every confirmed connection of the user, the oldest first: one query."""
    with binary_cursor() as cursor:
        cursor.execute(_CONFIRMED, {"user_id": user_id})
        return tuple(_connection(row) for row in cursor.fetchall())


def _connection(row: Sequence[object]) -> Connection:
    provider_at, endpoint_at = len(_LINK), len(_LINK) + len(_PROVIDER)
    connection = Connection.from_db(DEFAULT_DB_ALIAS, _LINK, row[:provider_at])
    connection.provider = Provider.from_db(DEFAULT_DB_ALIAS, _PROVIDER, row[provider_at:endpoint_at])
    connection.endpoint = Endpoint.from_db(DEFAULT_DB_ALIAS, _ENDPOINT, row[endpoint_at:])
    return connection
