"""Open the records that shelves are built from, in batches, so that little is decrypted at a time.

A batch is limited by its number of rows and by the bytes of their bodies, and a large body is read only when its turn
comes.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Case, Q, When
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from apps.connections.models import Connection
from apps.records import bodies, subjects
from apps.records.models import Record
from apps.records.subjects import Subject
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing

_ROWS_AT_ONCE: Final = 200
_BYTES_AT_ONCE: Final = 2_000_000  # of opened bodies: a larger one is a batch by itself
_LARGE_BYTES: Final = 10_000  # sealed: smaller bodies are read together with their rows


class SealedRecord(NamedTuple):
    """What is known of a record before it is opened. `sealed_body` is None if it is large."""

    pk: int
    resource_type: str
    logical_id: str
    sealed_body: bytes | None
    removed_at: datetime | None


def batches(
    connection: Connection, wanted: Sequence[Subject], ring: KeyRing, unopened: list[SealedRecord]
) -> Iterator[list[tuple[SealedRecord, bytes]]]:
    """Every record of these subjects with its body, in batches; those that do not open are appended to `unopened`.

    Call it in a transaction. Raises `apps.vault.errors.VaultError` if a key is missing.
    """
    batch: list[tuple[SealedRecord, bytes]] = []
    size = 0
    for record, body in _opened(connection, _records(connection, wanted), ring, unopened):
        if batch and (len(batch) == _ROWS_AT_ONCE or size + len(body) > _BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append((record, body))
        size += len(body)
    if batch:
        yield batch


def _opened(
    connection: Connection, records: Iterable[SealedRecord], ring: KeyRing, unopened: list[SealedRecord]
) -> Iterator[tuple[SealedRecord, bytes]]:
    for record in records:
        known = record._replace(sealed_body=None)
        named = {"resource_type": record.resource_type, "logical_id": record.logical_id}
        try:
            yield known, bodies.opened(_sealed(record), ring, connection_id=connection.id, **named)
        except CannotOpen:  # reported by the code that counts them
            unopened.append(known)


def _sealed(record: SealedRecord) -> bytes:
    if record.sealed_body is not None:
        return bytes(record.sealed_body)
    return bytes(Record.objects.values_list("sealed_body", flat=True).get(pk=record.pk))


def _records(connection: Connection, wanted: Sequence[Subject]) -> Iterator[SealedRecord]:
    types = {resource_type for subject in wanted for resource_type in subject.resource_types}
    is_wanted = Q(resource_type__in=types)
    if subjects.OTHER in wanted:
        is_wanted |= ~Q(resource_type__in=subjects.KNOWN_TYPES)
    rows = Record.objects.filter(is_wanted, user_id=connection.user_id, connection_id=connection.id)
    small_body = Case(When(LessThanOrEqual(Length("sealed_body"), _LARGE_BYTES), then="sealed_body"))
    columns = rows.values_list("pk", "resource_type", "logical_id", small_body, "removed_at")
    return map(SealedRecord._make, columns.iterator(chunk_size=_ROWS_AT_ONCE))
