"""Open the bodies of records and of their earlier versions: the one place that knows to what a body's sealing is bound.

If the body itself was requested, use `opened` and `of`, which raise. If it is one of many, use `find`, which logs the
connection and returns None, so that one body hides no other. Lists and exports, which count such bodies, say that one
is missing; in news, in earlier versions and for names, they are left out without a word.
"""

import logging
from typing import TypedDict
from uuid import UUID

from apps.records import places
from apps.records.models import Record, RecordVersion
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing, Place

_LOG = logging.getLogger(__name__)


class _Named(TypedDict):
    connection_id: UUID
    resource_type: str
    logical_id: str


def opened(
    sealed: bytes | memoryview, ring: KeyRing, *, connection_id: UUID, resource_type: str, logical_id: str
) -> bytes:
    """The body as received. Raises `apps.vault.errors.CannotOpen` if it was changed or moved, and another VaultError if
    a key is missing."""
    place = places.body_place(connection_id=connection_id, resource_type=resource_type, logical_id=logical_id)
    return ring.open_body(bytes(sealed), place=place)


def find(
    sealed: bytes | memoryview, ring: KeyRing, *, connection_id: UUID, resource_type: str, logical_id: str
) -> bytes | None:
    """The same; None if it was changed or moved. Raises VaultError if a key is missing."""
    try:
        return opened(sealed, ring, connection_id=connection_id, resource_type=resource_type, logical_id=logical_id)
    except CannotOpen:
        _LOG.error("A record does not open: connection %s, %s.", connection_id, resource_type)
        return None


def of(record: Record, ring: KeyRing) -> bytes:
    """The current body. Raises as `opened` does."""
    return opened(record.sealed_body, ring, **_named(record))


def find_of(record: Record | RecordVersion, ring: KeyRing) -> bytes | None:
    """The body of a record, or of an earlier version of one. Raises as `find` does."""
    named = _named(record.record if isinstance(record, RecordVersion) else record)
    return find(record.sealed_body, ring, **named)


def place_of(record: Record | RecordVersion) -> Place:
    """The place to which its body is sealed: that of the record, also for an earlier version."""
    return places.body_place(**_named(record.record if isinstance(record, RecordVersion) else record))


def _named(record: Record) -> _Named:
    return _Named(connection_id=record.connection_id, resource_type=record.resource_type, logical_id=record.logical_id)
