"""One sync step: one resource type, fetched page by page, each stored together with the place to go on from.

A step can stop anywhere. What is stored stays stored, and the next worker begins at the stored cursor.
"""

import json
import logging
from dataclasses import astuple, dataclass
from datetime import datetime

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.records import belonging, places, shelving, storing
from apps.records.fetching import Clock, Source
from apps.records.leasing import Lease
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.subjects import shelved_for
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Page, Resource
from apps.wire.resource_types import Parameters

# A type with more pages than this is a loop we did not see, or a body of data no phone page can hold.
MOST_PAGES = 4000
# Nor is there one whose single type is a gigabyte: somebody is filling our disk.
MOST_BYTES = 1_000_000_000

Status = SyncStep.Status
Gap = SyncStep.Gap

_LOG = logging.getLogger(__name__)


class SliceOver(Exception):
    """The run had its time, and others may be waiting. What came is stored; it goes on at its cursors."""


@dataclass(frozen=True)
class Cursor:
    """Where a step goes on: which of the type's searches, and the link to its next page (None: its first).

    `mark` is a link passed before. It moves on at the second, fourth, eighth page, and so on: links that run in a
    circle, however long, come back to it, and nobody has to remember them all (Brent's way to find a cycle).
    `stopped_short`: a search was broken off before its end.
    """

    search: int = 0
    next_url: str | None = None
    mark: str | None = None
    stopped_short: bool = False

    def after(self, next_url: str | None, *, pages: int, is_too_much: bool) -> "Cursor":
        """Where to go on after a page with this link, with which the step has got so many pages."""
        if next_url is not None and next_url != self.mark and not is_too_much:
            is_power_of_two = pages & (pages - 1) == 0
            mark = next_url if self.mark is None or is_power_of_two else self.mark
            return Cursor(self.search, next_url, mark, self.stopped_short)
        return Cursor(self.search + 1, stopped_short=self.stopped_short or next_url is not None)


@dataclass(frozen=True)
class Work:
    """What every part of a step needs."""

    run: SyncRun
    source: Source
    lease: Lease
    clock: Clock
    slice_ends_at: datetime

    @property
    def holder(self) -> Holder:
        """Whose key seals what is stored."""
        return Holder.user(self.run.user_id)

    def make_way(self) -> None:
        """To be called where something was stored and more is to come. Raises SliceOver."""
        if self.clock() >= self.slice_ends_at:
            raise SliceOver


def read(step: SyncStep, work: Work) -> None:
    """Read the one resource of this type there is. Raises what `Source` raises, and LeaseLost; the step stays open."""
    _begin(step, work)
    _store(step, (work.source.patient(),), cursor=None, work=work)
    close(step, gap="", work=work)


def search(step: SyncStep, searches: tuple[Parameters, ...], work: Work) -> None:
    """Fetch every page of every search that covers the type. Raises as `read` does, and SliceOver; the step stays open,
    to go on."""
    _begin(step, work)
    cursor = _stored_cursor(step, work)
    while cursor.search < len(searches):
        page = _page(step.resource_type, searches, cursor, work.source)
        if cursor.next_url is None and page.total is not None:
            step.rows_counted = (step.rows_counted or 0) + page.total
        step.rows_unreadable += page.unreadable
        step.bytes_got += sum(len(resource.body) for resource in page.resources)
        pages = step.pages + 1
        is_too_much = pages >= MOST_PAGES or step.bytes_got > MOST_BYTES
        cursor = cursor.after(page.next_url, pages=pages, is_too_much=is_too_much)
        _store(step, page.resources, cursor=cursor, work=work)
        if cursor.search < len(searches):
            work.make_way()
    close(step, gap=_gap(step, is_short=cursor.stopped_short or _is_short(step, work, searches)), work=work)


def close(step: SyncStep, *, gap: str, work: Work) -> None:
    """End a step, with the reason if something is missing, and show what came. Raises LeaseLost."""
    now = work.clock()
    with transaction.atomic():
        work.lease.extend()
        step.rows_kept = _rows_kept(step, work)
        step.status = Status.GAP if gap else Status.COMPLETE
        step.gap = gap
        step.watermark_at = step.watermark_at if gap else step.started_at  # it errs early
        step.sealed_cursor = None
        step.finished_at = now
        step.save()
        if step.rows_kept:
            for subject in shelved_for(step.resource_type):
                shelving.rebuild(work.run.connection, subject, at=now)
        if step.rows_refused:
            _raise_alarm(step, work)


def _begin(step: SyncStep, work: Work) -> None:
    with transaction.atomic():
        work.lease.extend()
        step.status = Status.GETTING
        step.started_at = step.started_at or work.clock()
        step.save(update_fields=["status", "started_at"])


def _page(resource_type: str, searches: tuple[Parameters, ...], cursor: Cursor, source: Source) -> Page:
    if cursor.next_url is not None:
        return source.follow(cursor.next_url)
    return source.search(resource_type, searches[cursor.search])


def _store(step: SyncStep, resources: tuple[Resource, ...], *, cursor: Cursor | None, work: Work) -> None:
    """One page, one transaction: its rows, what the step has counted, and where to go on."""
    connection = work.run.connection
    asked_for = [resource for resource in resources if resource.resource_type == step.resource_type]
    patient_id = connection.fhir_patient_id
    theirs = [row for row in asked_for if not belonging.names_another_patient(row, patient_id=patient_id)]
    with transaction.atomic(), sealing.key_ring(work.holder) as ring:
        work.lease.extend()
        kept = storing.keep(connection, theirs, run_id=work.run.pk, ring=ring, at=work.clock())
        step.pages += 1
        step.rows_got += len(asked_for)
        step.rows_kept += kept.rows
        step.rows_refused += len(asked_for) - len(theirs)
        if cursor is not None:
            place = places.cursor_place(run_id=work.run.pk, resource_type=step.resource_type)
            step.sealed_cursor = ring.seal(json.dumps(astuple(cursor)).encode(), place=place)
        step.save()


def _stored_cursor(step: SyncStep, work: Work) -> Cursor:
    if step.sealed_cursor is None:
        return Cursor()
    place = places.cursor_place(run_id=work.run.pk, resource_type=step.resource_type)
    opened = sealing.open_sealed(bytes(step.sealed_cursor), holder=work.holder, place=place)
    return Cursor(*json.loads(opened))


def _rows_kept(step: SyncStep, work: Work) -> int:
    """How many different resources came: a provider may send one on two pages, or to two searches."""
    return Record.objects.filter(
        user_id=work.run.user_id,
        connection_id=work.run.connection_id,
        resource_type=step.resource_type,
        confirmed_by_run=work.run.pk,
    ).count()


def _is_short(step: SyncStep, work: Work, searches: tuple[Parameters, ...]) -> bool:
    """Fewer than the provider counted. Several searches may count one row twice, so there all rows got are compared."""
    came = (_rows_kept(step, work) if len(searches) == 1 else step.rows_got) + step.rows_refused
    return step.rows_counted is not None and came < step.rows_counted


def _gap(step: SyncStep, *, is_short: bool) -> str:
    """The gravest of what is missing although the provider answered to the end."""
    if step.rows_refused:
        return Gap.OTHER_PATIENT
    if step.rows_unreadable:
        return Gap.UNREADABLE
    return Gap.STOPPED_SHORT if is_short else ""


def _raise_alarm(step: SyncStep, work: Work) -> None:
    """Say that a provider sent rows about somebody else: how many and of which connection, never whom."""
    connection_id = str(work.run.connection_id)
    _LOG.error("A provider sent rows that name another patient: connection %s.", connection_id)
    recording.record(
        EventType.RECORD_REFUSED,
        actor=Actor.system("sync"),
        at=work.clock(),
        user_id=work.run.user_id,
        subject="connection",
        subject_id=connection_id,
        facts={"rows": step.rows_refused, "sync_run_id": str(work.run.pk)},
    )
