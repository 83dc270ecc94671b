"""The connections of a record, each with its provider and its endpoint, as pages need them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from apps.connections.models import Connection
from apps.directory.models import Endpoint, Provider
from apps.records.binary_cursors import binary_cursor

# The columns that pages need; any other is fetched on access.
_LINK: Final = (
    "id", "user_id", "endpoint_id", "provider_id", "status", "fhir_patient_id", "sealed_person", "confirmed_at",
    "last_checked_at", "ended_at",
)  # fmt: skip
_PROVIDER: Final = ("id", "name")
_ENDPOINT: Final = ("id", "fhir_base_url", "fhir_version", "interface")


def columns(table: str, names: Sequence[str]) -> str:
    """These columns, for a statement that is written out."""
    return ", ".join(f"{table}.{name}" for name in names)


COLUMNS: Final = ", ".join(
    (columns("link", _LINK), columns("provider", _PROVIDER), columns("endpoint", _ENDPOINT))
)  # what `read` reads
JOINED: Final = """
connections_connection AS link JOIN directory_provider AS provider ON provider.id = link.provider_id
JOIN directory_endpoint AS endpoint ON endpoint.id = link.endpoint_id
"""
# Written out, since every page runs it: building it in Python, with all columns of three tables, costs four times as
# much as running it.
_CONFIRMED: Final = f"""
SELECT {COLUMNS} FROM {JOINED}
WHERE link.user_id = %(user_id)s AND link.confirmed_at IS NOT NULL ORDER BY link.created_at, link.id
"""  # noqa: S608  # nosec B608 -- names of columns, written above


def confirmed(user_id: UUID) -> tuple[Connection, ...]:
    """Every confirmed connection of the user, the oldest first: one query."""
    with binary_cursor() as cursor:
        cursor.execute(_CONFIRMED, {"user_id": user_id})
        return tuple(map(read, cursor.fetchall()))


def read(row: Sequence[object]) -> Connection:
    """A connection with its provider and its endpoint, from a row of `COLUMNS`."""
    provider_at, endpoint_at = len(_LINK), len(_LINK) + len(_PROVIDER)
    connection = Connection.from_db(DEFAULT_DB_ALIAS, _LINK, row[:provider_at])
    connection.provider = Provider.from_db(DEFAULT_DB_ALIAS, _PROVIDER, row[provider_at:endpoint_at])
    connection.endpoint = Endpoint.from_db(DEFAULT_DB_ALIAS, _ENDPOINT, row[endpoint_at:])
    return connection
