"""Shelves: what pages read. Each is one sealed array of presented summaries, so a page opens one value, not thousands.

A shelf is never the truth: it is built from the records whenever a step ends, and again by `rebuild_shelves`.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from apps.connections.models import Connection
from apps.records import places
from apps.records.models import Record, Shelf
from apps.records.presenters import elements
from apps.records.presenters.patient import PatientSummary
from apps.records.subjects import PATIENT, SUBJECTS, Subject
from apps.vault import sealing
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
    shelves = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id, subject=PATIENT.key)
    sealed = shelves.values_list("sealed_summaries", flat=True).first()
    if sealed is None:
        return None
    place = places.shelf_place(connection_id=connection.id, subject=PATIENT.key)
    opened = sealing.open_body(bytes(sealed), holder=Holder.user(connection.user_id), place=place)
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
