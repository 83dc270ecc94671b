"""What the first page of one connection's record says: the person, how current it is, and what came.

Reading it opens the shelf of the patient, and the indexes of the others, explicitly.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

import msgspec

from apps.connections.grants import granted_access
from apps.connections.models import Connection
from apps.connections.presenting import moments, standing
from apps.records import ledger, places
from apps.records.ledger import Line, ShelfCounts
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.presenters.persons.patient import PatientSummary
from apps.records.shelving.indexing import Index
from apps.records.subjects import LISTED, PATIENT, shelved_for
from apps.records.syncing.running import ENDED
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder, KeyRing

# If its content is older than this, a page says at its top that it is not up to date (patient experience 2.3).
CURRENT_FOR = timedelta(days=7)
# How long a page shows the result of a check to the reader who asked for it.
_ANSWERED_FOR = timedelta(minutes=10)

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")


class State(StrEnum):
    """The state of updating, as one word that the page turns into a notice (patient experience 5.3)."""

    NEVER = "never"  # nothing was ever started
    WAITING = "waiting"  # U1
    FIRST = "first"  # U2
    CHECKING = "checking"  # U3
    PAUSED = "paused"  # U8
    STOPPED = "stopped"  # by the patient or by staff, or until they act: the connection's status says so
    COMPLETE = "complete"
    PARTIAL = "partial"  # U6
    FAILED = "failed"  # U7
    SHUT_OUT = "shut-out"  # C9

    @property
    def is_moving(self) -> bool:
        """Whether the page should reload by itself."""
        return self in {State.WAITING, State.FIRST, State.CHECKING, State.PAUSED}


@dataclass(frozen=True)
class Overview:
    """`patients` is None if the shelf could not be opened, and empty if no Patient is stored, or none that opens;
    `lacks_details` then, and if not all of them open. `changed` is how many entries came or changed in a check that the
    patient asked for and that just ended completely; otherwise None. `lacks_only_unshared`: everything came except what
    was not shared. `may_share`: something was not shared, and the provider lets the patient choose again. `goes_on`
    says in words when a copy that waits for its provider continues."""

    patients: tuple[PatientSummary, ...] | None
    lines: tuple[Line, ...]
    state: State
    kinds_done: int
    entries: int
    is_out_of_date: bool
    lacks_details: bool = False
    changed: int | None = None
    lacks_only_unshared: bool = False
    may_share: bool = False
    goes_on: str = ""

    @property
    def kinds(self) -> int:
        """The number of subjects."""
        return len(self.lines)


def of(connection: Connection, *, at: datetime) -> Overview:
    """The overview of a confirmed connection, as of now."""
    latest = list(connection.sync_runs.newest_first(at=at).prefetch_related("steps")[:2])
    run = _worth_showing(latest)
    shelves = _Shelves.of(connection)
    patients = shelves.patients()
    is_first = len(latest) == 1
    state = _state(connection, run, is_first=is_first, at=at)
    if patients is None and state.is_moving:  # ours to fix: no provider is asked until then
        state = State.STOPPED
    lines = ledger.lines(
        connection,
        run,
        provider=connection.provider.name,
        is_stopped=state in {State.STOPPED, State.PAUSED},
        tries_again=connection.status == Connection.Status.ACTIVE and not standing.is_stopped(connection),
        counts=None if state.is_moving and is_first else shelves.counts(),  # a check keeps the old ones
    )
    return Overview(
        patients=patients,
        lines=lines,
        state=state,
        kinds_done=sum(1 for line in lines if line.is_done),
        entries=sum(line.entries for line in lines),
        is_out_of_date=is_out_of_date(connection, at=at),
        lacks_details=patients is not None and not state.is_moving and _patients_held(connection) > len(patients),
        changed=_changed(run, at=at),
        lacks_only_unshared=_lacks_only_unshared(run),
        may_share=any(line.is_not_shared for line in lines) and granted_access.may_choose_anew(connection),
        goes_on=moments.until(run.lease_until, at=at) if state is State.PAUSED and run and run.lease_until else "",
    )


def _changed(run: SyncRun | None, *, at: datetime) -> int | None:
    if run is None or run.cause != SyncRun.Cause.PATIENT:
        return None
    if run.finished_at is None or run.finished_at < at - _ANSWERED_FOR:
        return None
    if run.outcome != SyncRun.Outcome.COMPLETE and not _lacks_only_unshared(run):
        return None
    return sum(step.rows_changed for step in run.steps.all() if shelved_for(step.resource_type))


def _lacks_only_unshared(run: SyncRun | None) -> bool:
    """Whether everything came that could: the rest must be allowed by the patient or the provider, and no check brings
    it."""
    if run is None or run.outcome != SyncRun.Outcome.PARTIAL:
        return False
    return {step.gap for step in run.steps.all()} <= {"", SyncStep.Gap.NOT_SHARED, SyncStep.Gap.NOT_OFFERED}


def _patients_held(connection: Connection) -> int:
    """How many Patients there are to show: the shelf has those that opened when it was built."""
    mine = Record.objects.filter(user_id=connection.user_id, connection_id=connection.id)
    return mine.filter(resource_type__in=PATIENT.resource_types).count()


@dataclass(frozen=True)
class _Shelves:
    """The shelves of one connection, opened with one query for them and one for the key. A value in `opened` is None if
    the shelf does not open."""

    opened: Mapping[str, bytes | None]

    @classmethod
    def of(cls, connection: Connection) -> "_Shelves":
        found = Shelf.objects.filter(user_id=connection.user_id, connection_id=connection.id)
        sealed = dict(found.values_list("subject", "sealed_index"))
        try:
            with sealing.key_ring(Holder.user(connection.user_id)) as ring:
                return cls({subject: _opened(connection, subject, bytes(one), ring) for subject, one in sealed.items()})
        except VaultError as error:
            _LOG.error("A key does not open: connection %s, %s.", connection.pk, type(error).__name__)
            return cls(dict.fromkeys(sealed))

    def patients(self) -> tuple[PatientSummary, ...] | None:
        """None if that shelf does not open, or was written by another release in another format."""
        if PATIENT.key not in self.opened:
            return ()
        return self._decoded(PATIENT.key, tuple[PatientSummary, ...])

    def counts(self) -> Mapping[str, ShelfCounts] | None:
        """What came for each subject that has a shelf; None if one does not open."""
        held = [subject.key for subject in LISTED if subject.key in self.opened]
        indexes = {key: self._decoded(key, Index) for key in held}
        patients = self.patients()
        if patients is None or None in indexes.values():
            return None
        counts = {
            key: ShelfCounts(
                index.sent,
                fills=index.fills,
                drafts=index.drafts,
                none_known=index.groups.get("none-known", 0),
                no_information=index.groups.get("no-information", 0),
            )
            for key, index in indexes.items()
            if index is not None
        }
        return {**counts, PATIENT.key: ShelfCounts(len(patients))}

    def _decoded(self, subject: str, kind: type[_T]) -> _T | None:
        opened = self.opened.get(subject)
        try:
            return None if opened is None else msgspec.json.decode(opened, type=kind)
        except msgspec.MsgspecError as error:  # no traceback: a decoder's would show what it could not decode
            _LOG.error("A shelf cannot be read: %s, %s.", subject, type(error).__name__)
            return None


def _opened(connection: Connection, subject: str, sealed: bytes, ring: KeyRing) -> bytes | None:
    try:
        return ring.open_body(sealed, place=places.shelf_place(connection_id=connection.id, subject=subject))
    except VaultError as error:
        _LOG.error("A shelf does not open: connection %s, %s.", connection.pk, type(error).__name__)
        return None


def _worth_showing(latest: Sequence[SyncRun]) -> SyncRun | None:
    """Of the latest two runs, the later one, unless that is a scheduled check still under way: nobody waits for it, and
    the result of the one before counts until it has ended."""
    if len(latest) > 1 and latest[0].finished_at is None and latest[0].cause not in SyncRun.ASKED_FOR:
        return latest[1]
    return latest[0] if latest else None


def _state(connection: Connection, run: SyncRun | None, *, is_first: bool, at: datetime) -> State:
    if run is None:
        return State.NEVER
    if run.finished_at is not None:
        is_failed = run.outcome == SyncRun.Outcome.FAILED  # else what came is listed, with what did not
        is_shut_out = is_failed and any(step.gap == SyncStep.Gap.NOT_ENABLED for step in run.steps.all())
        known = State(run.outcome) if run.outcome in SyncRun.Outcome.values else State.PARTIAL  # of a newer release
        return State.SHUT_OUT if is_shut_out else known
    if standing.is_stopped(connection) or connection.status in ENDED:  # the run is closed at its next turn
        return State.STOPPED
    is_waiting = run.claim_id is None and run.lease_until is not None and run.lease_until > at
    if is_waiting and run.pauses:  # without any pause, we wait for reasons of our own: the provider answers
        return State.PAUSED
    if not is_first:
        return State.CHECKING
    is_yet_to_begin = all(step.status == SyncStep.Status.WAITING for step in run.steps.all())
    return State.WAITING if is_yet_to_begin else State.FIRST


def is_current(connection: Connection, *, at: datetime) -> bool:
    """Whether all of its record was checked recently."""
    return connection.last_checked_at is not None and not is_out_of_date(connection, at=at)


def is_out_of_date(connection: Connection, *, at: datetime, checked_at: datetime | None = None) -> bool:
    """Whether a page says at its top that what it shows is old, or no longer updated. `checked_at` is when a part of
    the record was checked, if the page shows only that."""
    checked_at = checked_at or connection.last_checked_at
    is_linked = connection.status == Connection.Status.ACTIVE
    return checked_at is not None and (not is_linked or checked_at < at - CURRENT_FOR)
