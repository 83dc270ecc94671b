"""Shelves: what pages read. Each is one sealed array of presented summaries, so a page opens one value, not thousands.

A shelf is never the truth: it is built from the records whenever a step ends, and again by `rebuild_shelves`.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from apps.connections.models import Connection
from apps.records import places
from apps.records.models import Record, Shelf
from apps.records.presenters import elements
from apps.records.presenters.patient import PatientSummary
from apps.records.subjects import PATIENT, SUBJECTS, Subject
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder, KeyRing

_ROWS_AT_ONCE = 500


def rebuild(connection: Connection, subject: Subject, *, at: datetime) -> int:
    """Build one shelf anew from the records, and say how many summaries it holds.

    Call it in the transaction that changes the records. Raises `apps.vault.errors.VaultError` where a body does not
    open: a shelf that leaves one out would be a gap nobody sees.
    """
    if subject.present is None:
        raise ValueError("This subject has no shelf.")
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        summaries = [subject.present(_opened(record, ring)) for record in _records(connection, subject)]
        place = places.shelf_place(connection_id=connection.id, subject=subject.key)
        sealed = ring.seal_body(msgspec.json.encode(summaries), place=place)
    Shelf.objects.update_or_create(
        user_id=connection.user_id,
        connection=connection,
        subject=subject.key,
        defaults={"sealed_summaries": sealed, "built_at": at},
    )
    return len(summaries)


def rebuild_all(connection: Connection, *, at: datetime) -> int:
    """Build every shelf of a connection anew, and say how many there are."""
    shelved = [subject for subject in SUBJECTS if subject.present]
    for subject in shelved:
        rebuild(connection, subject, at=at)
    return len(shelved)


def patients(connection: Connection) -> tuple[PatientSummary, ...] | None:
    """The shelf of the subject "patient", opened: one query for it and one for the key. None where it is not built.

    Raises `apps.vault.errors.VaultError` where it does not open, and `msgspec.MsgspecError` where an earlier release
    built it in another shape (`rebuild_shelves` mends that).
    """
    shelf = _patient_shelves(connection.user_id).filter(connection_id=connection.id).first()
    if shelf is None:
        return None
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return _read(shelf, ring)


def names(user_id: UUID, *, connection_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Whose record each of a user's connections holds, as sent; those whose shelf is empty or does not open are left
    out, so that one of them never hides the others."""
    shelves = _patient_shelves(user_id).filter(connection_id__in=connection_ids)
    found: dict[UUID, str] = {}
    with sealing.key_ring(Holder.user(user_id)) as ring:
        for shelf in shelves:
            with suppress(VaultError, msgspec.MsgspecError):
                found[shelf.connection_id] = next((summary.name for summary in _read(shelf, ring)), "")
    return {connection_id: name for connection_id, name in found.items() if name}


def _patient_shelves(user_id: UUID) -> QuerySet[Shelf]:
    return Shelf.objects.filter(user_id=user_id, subject=PATIENT.key)


def _read(shelf: Shelf, ring: KeyRing) -> tuple[PatientSummary, ...]:
    place = places.shelf_place(connection_id=shelf.connection_id, subject=shelf.subject)
    opened = ring.open_body(bytes(shelf.sealed_summaries), place=place)
    return msgspec.json.decode(opened, type=tuple[PatientSummary, ...])


def _records(connection: Connection, subject: Subject) -> Iterator[Record]:
    """In the order they first came, a few hundred at a time: a subject may hold tens of thousands."""
    records = Record.objects.filter(
        user_id=connection.user_id, connection_id=connection.id, resource_type__in=subject.resource_types
    ).order_by("pk")
    last_pk = 0
    while batch := list(records.filter(pk__gt=last_pk)[:_ROWS_AT_ONCE]):
        yield from batch
        last_pk = batch[-1].pk


def _opened(record: Record, ring: KeyRing) -> elements.Element:
    place = places.body_place(
        connection_id=record.connection_id, resource_type=record.resource_type, logical_id=record.logical_id
    )
    return elements.parse(ring.open_body(bytes(record.sealed_body), place=place))
