"""Shelves: what pages read. Each is a sealed index and sealed leaves of at most fifty presented entries, so that a page
of a record of any length opens a few values.

A shelf is never the truth: it is built from the records whenever a step ends, and again by `rebuild_shelves`.
"""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from apps.connections.models import Connection
from apps.records import places
from apps.records.models import Record, Shelf
from apps.records.presenters import elements, patient
from apps.records.presenters.patient import PatientSummary
from apps.records.shelving import building
from apps.records.subjects import LISTED, PATIENT, SUBJECTS, Subject
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing


def rebuild(connection: Connection, *subjects: Subject, at: datetime) -> int:
    """Build the shelves of these subjects anew from the records, and say how many entries they hold.

    Call it in the transaction that changes the records. Raises `apps.vault.errors.VaultError` where a body does not
    open.
    """
    entries = 0
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        if PATIENT in subjects:
            entries += _rebuild_patients(connection, ring, at=at)
        listed = [subject for subject in subjects if subject in LISTED]
        if listed:
            entries += sum(building.build(connection, listed, ring=ring, at=at).values())
    return entries


def rebuild_all(connection: Connection, *, at: datetime) -> int:
    """Build every shelf of a connection anew, and say how many there are."""
    rebuild(connection, *SUBJECTS, at=at)
    return len(SUBJECTS)


def patients(connection: Connection) -> tuple[PatientSummary, ...] | None:
    """The shelf of the subject "patient", opened: one query for it and one for the key. None where it is not built.

    Raises `apps.vault.errors.VaultError` where it does not open, and `msgspec.MsgspecError` where an earlier release
    built it in another shape (`rebuild_shelves` mends that).
    """
    shelves = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id, subject=PATIENT.key)
    sealed = shelves.values_list("sealed_index", flat=True).first()
    if sealed is None:
        return None
    place = places.shelf_place(connection_id=connection.id, subject=PATIENT.key)
    opened = sealing.open_body(bytes(sealed), holder=Holder.user(connection.user_id), place=place)
    return msgspec.json.decode(opened, type=tuple[PatientSummary, ...])


def _rebuild_patients(connection: Connection, ring: KeyRing, *, at: datetime) -> int:
    records = Record.objects.filter(
        user_id=connection.user_id, connection_id=connection.id, resource_type__in=PATIENT.resource_types
    ).order_by("pk")
    summaries = [patient.present(resource) for resource in _opened(records, ring)]
    place = places.shelf_place(connection_id=connection.id, subject=PATIENT.key)
    Shelf.objects.update_or_create(
        user_id=connection.user_id,
        connection=connection,
        subject=PATIENT.key,
        defaults={"sealed_index": ring.seal_body(msgspec.json.encode(summaries), place=place), "built_at": at},
    )
    return len(summaries)


def _opened(records: Iterable[Record], ring: KeyRing) -> Iterable[elements.Element]:
    for record in records:
        place = places.body_place(
            connection_id=record.connection_id, resource_type=record.resource_type, logical_id=record.logical_id
        )
        yield elements.parse(ring.open_body(bytes(record.sealed_body), place=place))
