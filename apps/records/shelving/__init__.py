"""Shelves: what pages read. A shelf is a sealed index and sealed leaves of at most fifty presented entries each, so
that a page opens a few values however long the record is.

A shelf is never authoritative: it is built from the records. It is rebuilt when a sync step ends, by the schedule after
a release that changes the format of shelves (`renewing`), and by the command `rebuild_shelves`.
"""

import logging
from datetime import datetime
from typing import Any

import msgspec
from django.db import connection as database
from django.db import transaction
from django.utils import timezone

from apps.accounts import time_zones
from apps.connections.models import Connection
from apps.records import bodies, places
from apps.records.models import Record, Shelf, SyncStep
from apps.records.presenters import elements
from apps.records.presenters.persons import patient
from apps.records.presenters.persons.patient import PatientSummary
from apps.records.shelving import building, indexing, renewing
from apps.records.shelving.building import Built
from apps.records.shelving.indexing import FORM, Index
from apps.records.subjects import LISTED, PATIENT, SUBJECTS, Subject
from apps.vault import sealing
from apps.vault.errors import CannotOpen, VaultError
from apps.vault.sealing import Holder, KeyRing

_LOG = logging.getLogger(__name__)

_MOST_RENEWED = 5  # connections per call
# If two processes built the same shelves at once, each would read the records as they were when it started, and the one
# that ends last would win.
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('records_shelf'), hashtext(%(connection)s))"


@transaction.atomic
def rebuild(connection: Connection, *subjects: Subject, at: datetime) -> Built:
    """Rebuild the shelves of these subjects from the records; and all shelves there are, if the patient's birth date is
    no longer the one they were built with, since it dates what began at an age. Returns how many entries they hold, and
    how many records do not open: those are logged, and their lists say that something is missing.

    Call it in the transaction that changes the records. It waits while somebody else builds shelves of this connection.
    Raises `apps.vault.errors.VaultError` if a key is missing.
    """
    with database.cursor() as cursor:
        cursor.execute(_ONE_AT_A_TIME, {"connection": str(connection.pk)})
    entries = unopened = 0
    zone = time_zones.of(connection.user)  # entries are listed under the reader's years
    with timezone.override(zone), sealing.key_ring(Holder.user(connection.user_id)) as ring:
        wanted = {subject.key for subject in subjects}
        if PATIENT in subjects:
            born = _birth_dates(connection)
            built = _rebuild_patients(connection, ring, at=at)
            entries, unopened = built
            wanted |= _built(connection) if _birth_dates(connection) != born else set()
        listed = [subject for subject in LISTED if subject.key in wanted]
        if listed:
            built = building.build(connection, listed, ring=ring, at=at)
            entries, unopened = entries + built.entries, unopened + built.unopened
    return Built(entries, unopened)


@transaction.atomic
def rebuild_all(connection: Connection, *, at: datetime) -> Built:
    """Rebuild every shelf of a connection, including what finished runs left off them. Returns and raises what
    `rebuild` does."""
    left_off = SyncStep.objects.filter(
        run__connection=connection, run__finished_at__isnull=False, needs_shelf=True
    ).values_list("pk", flat=True)
    left = list(left_off)  # a step that ends later may bring rows that are not read here
    built = rebuild(connection, *SUBJECTS, at=at)
    if left:
        # Code that deletes these steps locks them before the connection: skip those, since they are about to go.
        free = list(left_off.filter(pk__in=left).select_for_update(skip_locked=True, of=("self",)))
        SyncStep.objects.filter(pk__in=free).update(needs_shelf=False)
    return built


def renew_some(*, at: datetime) -> int:
    """Rebuild the shelves of a few connections that an earlier release built, one connection after the other, and
    return the number of connections. Failures are logged and reported to operators (`renewing.stuck`)."""
    for renewed in range(_MOST_RENEWED):
        connection = renewing.claim()
        if connection is None:
            return renewed
        renew(connection, at=at)
    return _MOST_RENEWED


def renew(connection: Connection, *, at: datetime) -> None:
    """Rebuild every shelf of a connection, unless it was deleted meanwhile. A missing key is logged."""
    try:
        with transaction.atomic():
            if renewing.hold(connection):
                rebuild_all(connection, at=at)
    except VaultError as error:
        renewing.tell(connection, error)


def patients(connection: Connection) -> tuple[PatientSummary, ...] | None:
    """The opened shelf of the subject "patient": one query for it and one for the key. None if it was not built.

    Raises `apps.vault.errors.VaultError` if it does not open, and `msgspec.MsgspecError` if an earlier release wrote it
    in another format (`rebuild_shelves` fixes that).
    """
    shelves = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id, subject=PATIENT.key)
    sealed = shelves.values_list("sealed_index", flat=True).first()
    if sealed is None:
        return None
    place = places.shelf_place(connection_id=connection.id, subject=PATIENT.key)
    opened = sealing.open_body(bytes(sealed), holder=Holder.user(connection.user_id), place=place)
    return msgspec.json.decode(opened, type=tuple[PatientSummary, ...])


def unreadable(connection: Connection) -> set[str]:
    """The subjects whose shelf does not open or was written in the format of another release.

    Raises `apps.vault.errors.VaultError` if a key is missing.
    """
    shelves = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id)
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return {
            subject
            for subject, sealed, form in shelves.values_list("subject", "sealed_index", "form")
            if form < FORM or not _is_readable(connection, subject, bytes(sealed), ring)
        }


def _is_readable(connection: Connection, subject: str, sealed: bytes, ring: KeyRing) -> bool:
    kind: Any = tuple[PatientSummary, ...] if subject == PATIENT.key else Index
    try:
        place = places.shelf_place(connection_id=connection.id, subject=subject)
        read = msgspec.json.decode(ring.open_body(sealed, place=place), type=kind)
        if isinstance(read, Index):
            list(map(indexing.read_stretch, read.arrangements.values()))
        return not isinstance(read, Index) or read.is_searchable
    except (CannotOpen, msgspec.MsgspecError) as error:  # no traceback: a decoder's shows what it could not decode
        _LOG.error("A shelf does not open: connection %s, %s.", connection.id, type(error).__name__)
        return False


def _birth_dates(connection: Connection) -> tuple[str, ...] | None:
    """Those with which shelves were built; None if that is unknown."""
    try:
        found = patients(connection)
    except (CannotOpen, msgspec.MsgspecError):
        return None
    return None if found is None else tuple(one.birth_date for one in found)


def _built(connection: Connection) -> set[str]:
    """The subjects that have a shelf."""
    shelves = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id)
    return set(shelves.values_list("subject", flat=True))


def _rebuild_patients(connection: Connection, ring: KeyRing, *, at: datetime) -> Built:
    """If no patient's details open, the shelf stays as it is: it may still have them."""
    records = Record.objects.filter(
        user_id=connection.user_id, connection_id=connection.id, resource_type__in=PATIENT.resource_types
    ).order_by("pk")
    opened = [bodies.find_of(record, ring) for record in records]
    summaries = [patient.present(elements.parse(body)) for body in opened if body is not None]
    unopened = len(opened) - len(summaries)
    if unopened and not summaries:
        return Built(0, unopened)
    place = places.shelf_place(connection_id=connection.id, subject=PATIENT.key)
    Shelf.objects.update_or_create(
        user_id=connection.user_id,
        connection=connection,
        subject=PATIENT.key,
        defaults={
            "sealed_index": ring.seal_body(msgspec.json.encode(summaries), place=place),
            "built_at": at,
            "form": FORM,
            "tried_at": None,
        },
    )
    return Built(len(summaries), unopened)
