"""One sync step: one resource type, whose rows are stored together with the cursor to continue from.

A step can stop anywhere. What is stored stays stored, and the next worker begins at the stored cursor.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from typing import Any, Final

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from apps.records.binary_cursors import binary_cursor
from apps.records.models import PendingRead, Record, SyncRun, SyncStep
from apps.records.shelving import contexts
from apps.records.subjects import shelved_for
from apps.records.syncing import finding_references, planning
from apps.records.syncing.fetching import Clock, Source
from apps.records.syncing.finding_references import Target
from apps.records.syncing.paging import cursors, staged_pages
from apps.records.syncing.paging.cursors import Cursor
from apps.records.syncing.planning import Asking
from apps.records.syncing.received_rows import checking_patient, doubting, quarantining, storing
from apps.records.syncing.received_rows.storing import StoreCounts
from apps.records.syncing.workers.leasing import Lease
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.errors import Code, WireError
from apps.wire.fhir import Resource

# A type with more pages is a loop we did not detect, or more data than a page on a phone can show.
MOST_PAGES = 4000
MOST_ROWS = 500_000
# Nor can it show a gigabyte of one type: somebody is filling our disk.
MOST_BYTES = 1_000_000_000
# A longer run is ended with what came. The slowest pace brings 20 rows a minute.
LONGEST = timedelta(days=2)
# References lead to references: an organization is part of another. Nobody needs to follow them further.
MOST_DEPTH = 4
MOST_READS = 2000  # of one type in one run

# Written out: each page runs this, perhaps twice, and building it in Python costs more than running it.
_AS_THEY_ARE: Final = (
    "since_at", "watermark_at", "pages", "bytes_got", "rows_got", "rows_kept", "rows_refused", "rows_unreadable",
    "rows_changed", "rows_concluded", "rows_removed", "rows_missing", "rows_counted", "refers", "needs_shelf",
    "deaths",
)  # fmt: skip
_SEALED: Final = ("sealed_cursor", "sealed_page")
_WRITE_DOWN: Final = f"""
UPDATE records_syncstep SET {", ".join(f"{name} = %({name})s" for name in _AS_THEY_ARE)},
    {", ".join(f"{name} = %({name})b" for name in _SEALED)}
WHERE id = %(id)s
"""  # noqa: S608 - names of ours  # nosec B608

Status = SyncStep.Status
Gap = SyncStep.Gap


class SliceOver(Exception):
    """The run used up its time, and others may be waiting. What came is stored; the run continues at its cursors."""


@dataclass
class Turn:
    """What one worker has done with the run so far: whether it noted references, and whether it stored anything.
    `steps` are those that it has in hand, by type, and `new_types` those of which earlier runs brought nothing.
    `counts_searches`: the provider was seen to count all that a search finds, and not each page. For the types in
    `denied`, it said that their scope is not granted."""

    noted: set[Target] = field(default_factory=set)
    has_stored: bool = False
    steps: dict[str, SyncStep] = field(default_factory=dict)
    new_types: set[str] = field(default_factory=set)
    counts_searches: bool = False
    denied: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Work:
    """What every part of a step needs."""

    run: SyncRun
    source: Source
    lease: Lease
    clock: Clock
    slice_ends_at: datetime
    turn: Turn = field(default_factory=Turn)

    @property
    def holder(self) -> Holder:
        """Whose key seals what is stored."""
        return Holder.user(self.run.user_id)

    @property
    def is_slice_over(self) -> bool:
        """Whether nothing new should be begun."""
        return self.clock() >= self.slice_ends_at

    def stop_if_slice_is_over(self) -> None:
        """Call it after storing something if more is to come. Raises SliceOver."""
        if self.is_slice_over:
            raise SliceOver


def asking(step: SyncStep) -> Asking:
    """How the step asks for its type."""
    return planning.read_asking(step.asked)


def begin(step: SyncStep, work: Work) -> tuple[Cursor, tuple[Resource, ...] | None]:
    """Mark the step as under way, and return the cursor to go on from and the page that an earlier worker staged, if
    any. Raises LeaseLost."""
    with transaction.atomic(), sealing.key_ring(work.holder) as ring:
        work.lease.extend()
        step.status = Status.GETTING
        step.started_at = step.started_at or work.clock()
        step.claim_id = work.lease.claim_id
        step.save(update_fields=["status", "started_at", "claim_id"])
        if not _records(step, work).filter(first_received_at__lt=work.run.created_at).exists():
            work.turn.new_types.add(step.resource_type)
        return cursors.opened(step, ring), staged_pages.opened(step, ring)


def stage(step: SyncStep, resources: tuple[Resource, ...], *, cursor: Cursor, work: Work) -> None:
    """Keep a page unprocessed, and the cursor after it, until `store` has its rows. Raises LeaseLost."""
    with transaction.atomic(), sealing.key_ring(work.holder) as ring:
        work.lease.extend()
        step.sealed_page = staged_pages.sealed(resources, step, ring)
        step.sealed_cursor = cursors.sealed(cursor, step, ring)
        _save(step)


def move_cursor(step: SyncStep, cursor: Cursor, work: Work) -> None:
    """Move the cursor although nothing came. Raises LeaseLost."""
    with transaction.atomic(), sealing.key_ring(work.holder) as ring:
        work.lease.extend()
        step.sealed_cursor = cursors.sealed(cursor, step, ring)
        _save(step)


def store(
    step: SyncStep,
    resources: tuple[Resource, ...],
    *,
    work: Work,
    cursor: Cursor | None = None,
    read: Target | None = None,
) -> None:
    """Store one page in one transaction: its rows, what they refer to, what the step has counted, and the next cursor.

    Rows of other types that came along, such as a Provenance or an Organization, are stored under their own type, and
    what is new or changed of them is counted by the step of that type: its own search may bring them unchanged. `read`
    is the reference that was followed. Raises LeaseLost.
    """
    connection = work.run.connection
    theirs, ours = checking_patient.divided(resources, patient_id=connection.fhir_patient_id)
    now = work.clock()
    with transaction.atomic(), sealing.key_ring(work.holder) as ring:
        work.lease.extend()
        for resource_type, rows in _by_type(ours):
            new_types = work.turn.new_types
            kept = storing.keep(connection, rows, run_id=work.run.pk, ring=ring, at=now, new_types=new_types)
            if resource_type == step.resource_type:
                step.rows_kept += kept.rows
                _count(step, rows, kept)
            elif kept.differing or shelved_for(resource_type):
                _count_company(resource_type, rows, kept, work)
        quarantining.keep(work.run, theirs, ring=ring, at=now)
        _note_references(ours, read=read, work=work)
        step.pages += 1
        step.rows_got += sum(row.resource_type == step.resource_type for row in resources)
        step.rows_refused += len(theirs)
        if cursor is not None:
            step.sealed_cursor = cursors.sealed(cursor, step, ring)
        step.sealed_page = None
        if read is None:  # a single reference is a small part of its step: one of those left may be what kills workers
            step.deaths = 0
        _save(step)
    work.turn.has_stored = True


def note_refusal(step: SyncStep, error: WireError, work: Work) -> None:
    """Note a refusal that gave its reason, so that it is not doubted (`withholding`)."""
    if error.code is Code.INSUFFICIENT_SCOPE:
        work.turn.denied.add(step.resource_type)


def count_missing(
    step: SyncStep,
    logical_id: str,
    *,
    work: Work,
    is_owed: bool,
    is_gone: bool = False,
    strange: Resource | None = None,
) -> None:
    """Count a reference that leads nowhere. `is_gone`: its provider says so (410), and our copy of it is marked as
    gone. `is_owed`: the next run asks again (`syncing.unanswered_references`). `strange` came in its place and is about
    somebody else: it is quarantined. Raises LeaseLost."""
    pending = PendingRead.objects.filter(run=work.run, resource_type=step.resource_type, logical_id=logical_id)
    with transaction.atomic():
        work.lease.extend()
        pending.update(is_done=True, is_owed=is_owed)
        step.rows_missing += 1
        if strange is not None:
            with sealing.key_ring(work.holder) as ring:
                quarantining.keep(work.run, (strange,), ring=ring, at=work.clock())
            step.rows_refused += 1
        if is_gone:
            held = _records(step, work).filter(logical_id=logical_id, removed_at__isnull=True)
            step.rows_removed += held.update(removed_at=work.clock())
        _save(step)


def is_too_much(step: SyncStep, work: Work) -> bool:
    """Whether the step has received as much as we accept of one type, or its run has lasted as long as we allow."""
    is_large = step.pages + 1 >= MOST_PAGES or step.bytes_got > MOST_BYTES or step.rows_got > MOST_ROWS
    return is_large or work.clock() - work.run.created_at > LONGEST


def close(step: SyncStep, *, gap: str, work: Work, used: int | None = None, lacking: tuple[int, ...] = ()) -> None:
    """End a step, with the reason if something is missing. Raises LeaseLost.

    A search for everything that reached its end without a gap proves what the provider no longer has. `used` is the
    attempt that succeeded, and `lacking` are its searches that alone cause the gap, so that the others are complete.
    """
    now = work.clock()
    with transaction.atomic():
        work.lease.extend()
        step.rows_kept = rows_kept(step, work)
        if used is not None:
            step.asked = msgspec.structs.replace(asking(step), used=used, lacking=lacking).written()
            if not gap and step.since_at is None and _proves_what_is_gone(step, work):
                gap = _take_for_gone(step, work, at=now)
        step.status = Status.GAP if gap else Status.COMPLETE
        step.gap = gap
        if gap and not lacking:
            step.watermark_at = None
        elif used is None:
            step.watermark_at = step.started_at
        step.sealed_cursor = step.sealed_page = None
        step.finished_at = now
        step.save()
        if step.rows_refused:
            quarantining.raise_alarm(work.run, rows=step.rows_refused, at=now)


def _save(step: SyncStep) -> None:
    """Write the columns that a page changes."""
    values: dict[str, Any] = {name: getattr(step, name) for name in ("id", *_AS_THEY_ARE, *_SEALED)}
    with binary_cursor() as cursor:
        cursor.execute(_WRITE_DOWN, values)


def rows_kept(step: SyncStep, work: Work) -> int:
    """How many different resources came: a provider may send the same one on two pages, or for two searches."""
    return _records(step, work).filter(confirmed_by_run=work.run.pk).count()


def count_new(step: SyncStep, ids: Iterable[str], work: Work) -> int:
    """How many of these came for the first time in this run."""
    named = set(ids)
    came = _records(step, work).filter(confirmed_by_run=work.run.pk, logical_id__in=named)
    return len(named) - came.count()


def holds_any(step: SyncStep, work: Work) -> bool:
    """Whether we hold rows of the type that, as far as we know, its provider still has."""
    return _records(step, work).filter(removed_at__isnull=True).exists()


def _by_type(rows: Iterable[Resource]) -> Iterator[tuple[str, list[Resource]]]:
    kind = attrgetter("resource_type")
    return ((resource_type, list(alike)) for resource_type, alike in groupby(sorted(rows, key=kind), key=kind))


def _count(step: SyncStep, rows: Iterable[Resource], kept: StoreCounts) -> None:
    step.rows_changed += kept.differing
    step.rows_concluded += kept.concluded
    step.needs_shelf = step.needs_shelf or kept.differing > 0
    step.refers = step.refers or contexts.refer(row.body for row in rows)


def _count_company(resource_type: str, rows: Iterable[Resource], kept: StoreCounts, work: Work) -> None:
    """Count what came along for the step of its type. If the type is listed and was not asked for, it becomes a step
    that says so."""
    step = work.turn.steps.get(resource_type) or work.run.steps.filter(resource_type=resource_type).first()
    if step is None:
        if not shelved_for(resource_type):
            return
        ended = {"status": Status.GAP, "gap": Gap.NOT_OFFERED, "finished_at": work.clock()}
        step = SyncStep.objects.create(run=work.run, user_id=work.run.user_id, resource_type=resource_type, **ended)
    work.turn.steps[resource_type] = step
    _count(step, rows, kept)
    step.save(update_fields=["rows_changed", "rows_concluded", "needs_shelf", "refers"])


def _note_references(rows: Sequence[Resource], *, read: Target | None, work: Work) -> None:
    """Note what these rows refer to, to be read after the searches, and mark `read` as done."""
    depth = 0
    if read is not None:
        of_read = PendingRead.objects.filter(run=work.run, resource_type=read[0], logical_id=read[1])
        of_read.update(is_done=True, is_owed=False)
        depth = (of_read.values_list("depth", flat=True).first() or 0) + 1
    if depth > MOST_DEPTH:
        return
    named = finding_references.targets((row.body for row in rows), base_url=work.source.server.base_url)
    found = named - work.turn.noted
    work.turn.noted.update(found)
    PendingRead.objects.bulk_create(
        (
            PendingRead(run=work.run, resource_type=resource_type, logical_id=logical_id, depth=depth)
            for resource_type, logical_id in _as_many_as_are_read(found)
        ),
        ignore_conflicts=True,
    )


def _as_many_as_are_read(found: set[Target]) -> Iterator[Target]:
    """Of each type, at most one more than a run reads, so that the excess makes a gap (TOO_MUCH) instead of filling our
    tables."""
    for _type, targets in groupby(sorted(found), key=itemgetter(0)):
        yield from islice(targets, MOST_READS + 1)


def _proves_what_is_gone(step: SyncStep, work: Work) -> bool:
    """Whether rows that did not come are gone. A single search by patient alone covers its type; narrower ones may miss
    what another way of asking had brought, and prove only what the same ones brought before."""
    mine = asking(step)
    if [search for search in mine.searches(mine.used or 0) if not dict(search).keys() - {"_revinclude"}]:
        return True
    earlier = SyncStep.objects.filter(
        run__connection=work.run.connection_id,
        resource_type=step.resource_type,
        status=Status.COMPLETE,
        since_at__isnull=True,
        asked__isnull=False,
    )
    last = earlier.order_by("-finished_at").first()
    return last is not None and mine.covers_alike(asking(last))


def _take_for_gone(step: SyncStep, work: Work, *, at: datetime) -> str:
    """Mark what did not come as gone, and return the gap if that is in doubt."""
    held = _records(step, work)
    gone, is_in_doubt = doubting.settle(held, run_id=work.run.pk, came=step.rows_kept, at=at)
    step.rows_removed = gone
    step.needs_shelf = step.needs_shelf or gone > 0
    return Gap.UNSEEN if is_in_doubt else ""


def _records(step: SyncStep, work: Work) -> QuerySet[Record]:
    return Record.objects.filter(
        user_id=work.run.user_id, connection_id=work.run.connection_id, resource_type=step.resource_type
    )
