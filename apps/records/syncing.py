"""Bring a connection's records up to date: a run with one step per resource type.

`start` opens a run, of which a connection has at most one. `advance` takes it as far as it can: claim it, see what the
provider offers, then step by step fetch, check and store. One failing type never hides the others. A provider that does
not answer pauses the run; a worker that dies leaves it to be resumed; one that used its slice of time gives its worker
to others. All go on at the stored cursors, and cost one page at most. When every step has ended, the run has an
outcome.
"""

import contextlib
import logging
import math
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections import sharing
from apps.connections.models import Connection, MoveNotAllowed
from apps.connections.reasons import Reason
from apps.connections.refreshing import NeedsReauthorization, NotYet, RegistrationBroken, SwitchedOff
from apps.records import gaps, leasing, planning, stepping
from apps.records.fetching import Clock, Source
from apps.records.leasing import Lease, LeaseLost
from apps.records.models import SyncRun, SyncStep
from apps.records.planning import Planned, Way
from apps.records.stepping import SliceOver, Work
from apps.vault.errors import Shredded
from apps.wire.errors import (
    AuthorizationExpired,
    ClientRejected,
    OrganizationNotEnabled,
    Throttled,
    Unavailable,
    WireError,
)

Cause = SyncRun.Cause
Status = SyncStep.Status
Gap = SyncStep.Gap

_LOG = logging.getLogger(__name__)

OPEN = (Status.WAITING, Status.GETTING)
_NEEDED = ("connection__endpoint", "connection__registration__authorization_server")
ENDED = (Connection.Status.ENDED, Connection.Status.DISCONNECTED)
# How long a run waits for a provider that does not answer, each time; after the last, what is missing is a gap.
PAUSES_SECONDS = (60, 300, 1800)
LONGEST_PAUSE_SECONDS = 3600
BROKEN_SECONDS = 60  # how soon it goes on after staff mended our registration
# How long a run has a worker before others have their turn. Not shorter: each turn asks for metadata once.
SLICE = timedelta(seconds=20)


class NotSyncable(Exception):
    """The connection is not active: unconfirmed, ended, or waiting for a new sign-in."""


def start(connection: Connection, *, cause: SyncRun.Cause, at: datetime) -> SyncRun:
    """Open a run, or find the one that is open, which is the patient's from now on where they are the one to ask. The
    caller enqueues it once this is committed.

    Raises NotSyncable: before the patient confirmed whose record it is, nothing is copied (C64).
    """
    if connection.status != Connection.Status.ACTIVE:
        raise NotSyncable
    with transaction.atomic():
        run, is_new = SyncRun.objects.get_or_create(
            connection=connection,
            finished_at=None,
            defaults={"user_id": connection.user_id, "cause": cause, "created_at": at},
        )
        if is_new:
            SyncStep.objects.bulk_create(
                SyncStep(run=run, user_id=run.user_id, resource_type=resource_type) for resource_type in planning.KNOWN
            )
            _write_down(EventType.SYNC_STARTED, run, at=at, facts={"types": len(planning.KNOWN)})
        elif cause in SyncRun.ASKED_FOR and run.cause not in SyncRun.ASKED_FOR:
            run.cause = cause
            run.save(update_fields=["cause"])
    return run


def advance(run_id: UUID, *, at: datetime) -> None:
    """Take a run as far as it goes. Does nothing where it is finished, held by another worker, paused or forgotten, or
    where its authorization server has no room for more.

    Raises what nobody foresaw, after giving the run back: it is tried again as often as a pause would be.
    """
    lease = leasing.claim(run_id)
    if lease is not None:
        _advance(lease, at=at)


def advance_next(*, at: datetime) -> bool:
    """The same with the run that waits most urgently, of whichever connection. False where none waits."""
    lease = leasing.claim_next()
    if lease is None:
        return False
    _advance(lease, at=at)
    return True


def _advance(lease: Lease, *, at: datetime) -> None:
    run = SyncRun.objects.select_related(*_NEEDED).filter(pk=lease.run_id).first()
    if run is None:
        return
    clock = _clock(at)
    if run.connection.status in ENDED:
        _abandon(run, lease, Gap.SIGN_IN_NEEDED, at=at)
        return
    try:
        _work_on(Work(run, Source(run.connection, clock), lease, clock, slice_ends_at=at + SLICE))
    except SliceOver:
        lease.give_back()
    except LeaseLost:
        _LOG.info("A sync run was taken over or its connection ended: run %s.", run.pk)
    except Shredded:  # the account is being closed: there is nobody left to keep anything for
        with contextlib.suppress(LeaseLost):
            _abandon(run, lease, Gap.UNAVAILABLE, at=clock())
    except Exception:
        if not SyncRun.objects.filter(pk=run.pk).exists():  # disconnected and forgotten under our hands
            return
        _give_back(run, lease, clock)
        raise


def _work_on(work: Work) -> None:
    """Every open step, then the outcome; or a pause, where waiting helps and has not been tried too often."""
    try:
        _take_steps(work)
    except (NotYet, SwitchedOff, Unavailable, ClientRejected) as error:
        if _is_paused(work, error):
            return
        _close_open_steps(work, gaps.reason(error) if isinstance(error, WireError) else Gap.UNAVAILABLE)
    except NeedsReauthorization:
        # an active connection waits for no sign-in: its account is being closed
        is_active = work.run.connection.status == Connection.Status.ACTIVE
        _close_open_steps(work, Gap.UNAVAILABLE if is_active else Gap.SIGN_IN_NEEDED)
    except AuthorizationExpired:  # refused twice, the second time with a renewed token (C45)
        _close_open_steps(work, Gap.SIGN_IN_NEEDED)
        _ask_for_sign_in(work)
    except WireError as error:
        _close_open_steps(work, gaps.reason(error))
    _finish(work.run, work.lease, at=work.clock())


def _take_steps(work: Work) -> None:
    """Raises what concerns every step alike; where only one has to wait, the others are taken first."""
    delayed: Unavailable | None = None
    shared = sharing.readable_types(work.run.connection)
    plan = {planned.resource_type: planned for planned in planning.plan(work.source.capability(), shared=shared)}
    steps = _open_steps(work.run)
    for step in steps:
        try:
            _take(step, plan.get(step.resource_type), work)
        except Unavailable as error:
            if error.status is None or isinstance(error, Throttled):  # the whole provider, not this one type
                raise
            delayed = error
        else:
            if step is not steps[-1]:
                work.make_way()
    if delayed is not None:
        raise delayed


def _take(step: SyncStep, planned: Planned | None, work: Work) -> None:
    """One step to its end, whatever that end is, unless it concerns all steps or waiting may help."""
    if planned is None or not planned.is_offered:
        stepping.close(step, gap=Gap.NOT_OFFERED, work=work)
        return
    if not planned.is_shared:
        stepping.close(step, gap=Gap.NOT_SHARED, work=work)
        return
    try:
        if planned.way is Way.READ:
            stepping.read(step, work)
        else:
            stepping.search(step, work.source.searches(step.resource_type), work)
    except (Unavailable, AuthorizationExpired, ClientRejected):
        raise
    except WireError as error:
        stepping.close(step, gap=gaps.reason(error), work=work)


def _is_paused(work: Work, error: NotYet | SwitchedOff | Unavailable | ClientRejected) -> bool:
    """Give the run back for a while; False where the provider had its chances, or its organization refuses us."""
    pauses = work.run.pauses
    if isinstance(error, SwitchedOff):  # nobody takes it up before it is on again
        work.lease.give_back()
        return True
    if isinstance(error, OrganizationNotEnabled):
        return False
    if isinstance(error, RegistrationBroken | ClientRejected):  # ours to mend: no reason to end the run with gaps
        seconds: float = BROKEN_SECONDS
    elif isinstance(error, NotYet):  # somebody else is refreshing, or it is too soon to
        seconds = (error.until - work.clock()).total_seconds()
    elif pauses < len(PAUSES_SECONDS):
        seconds = max(error.retry_after_seconds or 0, PAUSES_SECONDS[pauses])
        pauses += 1
    else:
        return False
    work.lease.pause(seconds=min(max(math.ceil(seconds), 1), LONGEST_PAUSE_SECONDS), pauses=pauses)
    return True


def _open_steps(run: SyncRun) -> list[SyncStep]:
    """In the order of the plan, which is the order they were made in."""
    return list(run.steps.filter(status__in=OPEN).order_by("pk"))


def _close_open_steps(work: Work, gap: SyncStep.Gap) -> None:
    for step in _open_steps(work.run):
        stepping.close(step, gap=gap, work=work)


def _finish(run: SyncRun, lease: Lease, *, at: datetime) -> None:
    steps = list(run.steps.all())
    outcome = gaps.outcome(steps)
    facts: dict[str, str | int | bool] = {
        "outcome": str(outcome),
        "gaps": sum(step.status == Status.GAP for step in steps),
        "rows": sum(step.rows_kept for step in steps),
    }
    with transaction.atomic():
        lease.finish(outcome=outcome, at=at)
        if gaps.proves_completeness(steps):
            Connection.objects.filter(pk=run.connection_id).update(last_checked_at=at)
        _write_down(EventType.SYNC_FINISHED, run, at=at, facts=facts)


def _ask_for_sign_in(work: Work) -> None:
    at = work.clock()
    with contextlib.suppress(MoveNotAllowed), transaction.atomic():  # or somebody else has moved it meanwhile
        work.run.connection.require_reauthorization(Reason.GRANT_ENDED, at=at)
        facts = {"reason": Reason.GRANT_ENDED.value}
        _write_down(EventType.CONNECTION_NEEDS_REAUTHORIZATION, work.run, at=at, facts=facts)


def _give_back(run: SyncRun, lease: Lease, clock: Clock) -> None:
    """After an error nobody foresaw: try again later, and give up in the end, so that no run loops for ever."""
    if run.pauses < len(PAUSES_SECONDS):
        lease.pause(seconds=PAUSES_SECONDS[run.pauses], pauses=run.pauses + 1)
    else:
        _abandon(run, lease, Gap.UNREADABLE, at=clock())


def _abandon(run: SyncRun, lease: Lease, gap: SyncStep.Gap, *, at: datetime) -> None:
    """End what is open without another look at provider or records."""
    with transaction.atomic():
        run.steps.filter(status__in=OPEN).update(status=Status.GAP, gap=gap, sealed_cursor=None, finished_at=at)
        _finish(run, lease, at=at)


def _clock(at: datetime) -> Clock:
    """A clock that stood at `at` when the work began, and runs: syncing may take minutes, and says truly when."""
    began = time.monotonic()
    return lambda: at + timedelta(seconds=time.monotonic() - began)


def _write_down(event: EventType, run: SyncRun, *, at: datetime, facts: Mapping[str, str | int | bool]) -> None:
    by_user = run.cause in {Cause.CONFIRMED, Cause.PATIENT} and event == EventType.SYNC_STARTED
    recording.record(
        event,
        actor=Actor.user(run.user_id) if by_user else Actor.system("sync"),
        at=at,
        user_id=run.user_id,
        subject="connection",
        subject_id=str(run.connection_id),
        facts={"sync_run_id": str(run.pk), **facts},
    )
