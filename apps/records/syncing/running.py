"""Bring a connection's records up to date: a run with one step per resource type.

`start` opens a run; a connection has at most one open. `advance` takes it as far as possible: it claims the run, asks
what the provider offers, then requests, checks and stores: first the patient, then all searches, several at a time,
then what their rows refer to. A type that fails never hides the others.

A run is interrupted when its provider does not answer (it pauses), when its worker dies (another resumes it), or when
its slice of time is used up (others get the worker). It continues at the stored cursors and loses at most the pages in
flight. When every step has ended, the run gets an outcome.
"""

import contextlib
import logging
import math
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections import clocks, refreshing
from apps.connections.models import Connection, MoveNotAllowed
from apps.connections.reasons import Reason
from apps.connections.refreshing import NeedsReauthorization, NotYet, RegistrationBroken, SwitchedOff
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import (
    gaps,
    including,
    organization_not_enabled,
    planning,
    preparing,
    reporting_availability,
    stepping,
    unanswered_references,
    updating_shelves,
    version_changes,
    withholding,
)
from apps.records.syncing.concurrent_steps import ConcurrentSteps, Stream
from apps.records.syncing.fetching import Clock, Source
from apps.records.syncing.planning import Way
from apps.records.syncing.reading import ReadingPatient, ReadingReferences
from apps.records.syncing.received_rows import quarantining
from apps.records.syncing.searching import Searching
from apps.records.syncing.stepping import SliceOver, Work
from apps.records.syncing.workers import backoff, leasing, worker_deaths
from apps.records.syncing.workers.backoff import PAUSES_SECONDS
from apps.records.syncing.workers.leasing import Lease, LeaseLost
from apps.vault.errors import KeyMissing, Shredded, WeakKey
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
LONGEST_PAUSE_SECONDS = 3600  # chosen by us: a provider may ask for more
BROKEN_SECONDS = 60  # the pause until we try again after staff fixed our registration
KEY_MISSING_SECONDS = 900  # the same, after a missing key of ours is back
# How long a run occupies a worker before others have their turn.
SLICE = timedelta(seconds=20)


# Errors that end a turn, whoever has to act.
_STOPS = (NotYet, SwitchedOff, NeedsReauthorization, WireError)
_STREAMS: Mapping[Way, Callable[[SyncStep, Work], Stream]] = MappingProxyType(
    {Way.READ: ReadingPatient, Way.SEARCH: Searching, Way.REFERENCES: ReadingReferences}
)


class NotSyncable(Exception):
    """The connection is not active: unconfirmed, ended, or waiting for a new sign-in."""


class NoLongerThere(NotSyncable):
    """The connection was deleted a moment ago."""


def start(connection: Connection, *, cause: SyncRun.Cause, at: datetime) -> SyncRun:
    """Open a run, or find the open one, which takes over the cause if somebody asked for it (`SyncRun.ASKED_FOR`). The
    caller enqueues the run once this is committed.

    Raises NotSyncable: nothing is copied before the patient has confirmed whose record it is (C64). Raises
    NoLongerThere if the connection was deleted meanwhile.
    """
    if connection.status != Connection.Status.ACTIVE:
        raise NotSyncable
    try:
        return _open(connection, cause=cause, at=at)
    except IntegrityError:  # its row is gone, which only the database knows for certain
        raise NoLongerThere from None


def _open(connection: Connection, *, cause: SyncRun.Cause, at: datetime) -> SyncRun:
    with transaction.atomic():
        run, is_new = SyncRun.objects.get_or_create(
            connection=connection,
            finished_at=None,
            defaults={"user_id": connection.user_id, "cause": cause, "created_at": at},
        )
        if is_new:
            _record(EventType.SYNC_STARTED, run, at=at, facts={})
        elif cause in SyncRun.ASKED_FOR and run.cause not in SyncRun.ASKED_FOR:
            run.cause = cause
            run.save(update_fields=["cause"])
    return run


def advance(run_id: UUID, *, at: datetime) -> None:
    """Take a run as far as it goes. Does nothing if it is finished, held by another worker, paused or deleted, or if
    its authorization server has no room for more.

    Raises unforeseen errors after giving the run back: it is tried again as often as after a pause.
    """
    lease = leasing.claim(run_id)
    if lease is not None:
        _advance(lease, at=at)


def advance_next(*, at: datetime) -> bool:
    """Do the same with the run that waits most urgently, of any connection. False if none waits."""
    lease = leasing.claim_next()
    if lease is None:
        return False
    _advance(lease, at=at)
    return True


def _advance(lease: Lease, *, at: datetime) -> None:
    run = SyncRun.objects.select_related(*_NEEDED).filter(pk=lease.run_id).first()
    if run is None:
        return
    clock = clocks.running_from(at)  # a run may take minutes, and writes down the actual times
    if run.connection.status in ENDED:
        updating_shelves.ask_for_last(run)
        _abandon(run, lease, Gap.SIGN_IN_NEEDED, at=at)
        updating_shelves.update_last(run, at=at)
        return
    try:
        work = Work(run, Source(run.connection, clock), lease, clock, slice_ends_at=at + SLICE)
        with contextlib.closing(work.source):
            try:
                _work_on(work)
            finally:
                reporting_availability.report(work)
    except SliceOver:
        lease.give_back()
    except LeaseLost:
        _LOG.info("A sync run was taken over or its connection ended: run %s.", run.pk)
    except Shredded:  # the account is being closed: there is nobody left to keep records for
        with contextlib.suppress(LeaseLost):
            _abandon(run, lease, Gap.UNAVAILABLE, at=clock())
    except Exception:
        if not SyncRun.objects.filter(pk=run.pk).exists():  # disconnected and deleted meanwhile
            return
        _give_back(run, lease, clock)
        raise


def _work_on(work: Work) -> None:
    """Take every open step, then settle the outcome; or pause, if waiting may help and has not been tried too often."""
    try:
        if not _take_all_steps(work):
            return
        version_changes.settle(work.run, work.lease, at=work.clock())
        _update_shelves(work)
    except (KeyMissing, WeakKey) as error:  # ours to fix: no reason to end the run with gaps
        _LOG.error("A sync run waits for a key of ours: run %s: %s", work.run.pk, error)
        work.lease.pause(seconds=KEY_MISSING_SECONDS, pauses=work.run.pauses)
    else:
        _finish(work.run, work.lease, at=work.clock(), denied=work.turn.denied)


def _take_all_steps(work: Work) -> bool:
    """Take every open step to its end, or to the reason why it cannot be completed. False if the run was paused
    instead. Raises SliceOver."""
    try:
        try:
            _take_steps(work)
        except (*_STOPS, SliceOver):
            _update_shelves(work)
            raise
    except (NotYet, SwitchedOff, Unavailable, ClientRejected) as error:
        if _try_to_pause(work, error):
            return False
        _close_open_steps(work, gaps.reason(error) if isinstance(error, WireError) else Gap.UNAVAILABLE)
    except NeedsReauthorization:
        # an active connection does not need a sign-in: its account is being closed
        is_active = work.run.connection.status == Connection.Status.ACTIVE
        _close_open_steps(work, Gap.UNAVAILABLE if is_active else Gap.SIGN_IN_NEEDED)
    except AuthorizationExpired:  # refused twice, the second time with a refreshed token (C45)
        _close_open_steps(work, Gap.SIGN_IN_NEEDED)
        _ask_for_sign_in(work)
    except WireError as error:
        _close_open_steps(work, gaps.reason(error))
    return True


def _update_shelves(work: Work) -> None:
    """Update the shelves for what came in this turn."""
    updating_shelves.update(work.run, work.lease, at=work.clock())


def _take_steps(work: Work) -> None:
    """Take the steps in their order. Raises what concerns every step alike, SliceOver and, after the others were taken,
    what one of them has to wait for."""
    if worker_deaths.is_given_up(work.run):
        preparing.prepare_blindly(work)
    _prepare(work)
    _give_up_what_kills(work)
    delayed = _take_patient(work, Status.WAITING)
    gives_up = work.run.pauses >= len(PAUSES_SECONDS)
    delayed = _run_steps(work, _of_ways(work, Way.SEARCH), gives_up=gives_up) or delayed
    if delayed is None:
        delayed = _take_patient(work, Status.GETTING)
    if delayed is not None:  # references come last: the patient names doctors as well
        raise delayed
    for resource_type in planning.REFERENCED:  # each before those that it refers to itself
        steps = [step for step in _of_ways(work, Way.REFERENCES) if step.resource_type == resource_type]
        delayed = _run_steps(work, steps, gives_up=gives_up) or delayed
    if delayed is not None:
        raise delayed
    for step in _of_ways(work, Way.INCLUDED):
        stepping.close(step, gap=including.gap(work.run), work=work)


def _prepare(work: Work) -> None:
    """Make the steps. If a server never sends its statement because making it takes too long, it may serve the records
    all the same: in the end it is asked for every type that we know."""
    try:
        preparing.prepare(work)
    except Unavailable as error:
        if isinstance(error, Throttled) or work.run.pauses < len(PAUSES_SECONDS):
            raise
        preparing.prepare_blindly(work)


def _take_patient(work: Work, status: SyncStep.Status) -> Unavailable | None:
    """Read the patient: first of all and, if no answer came, again only after the searches, since otherwise every turn
    would wait for it before receiving a page. Once the searches have ended, it gets fewer tries than they had. Returns
    what it has to wait for, if anything."""
    steps = [step for step in _of_ways(work, Way.READ) if step.status == status]
    most = len(PAUSES_SECONDS) if _of_ways(work, Way.SEARCH) else backoff.PAUSES_FOR_ONE
    return _run_steps(work, steps, gives_up=work.run.pauses >= most, stops_others=False)


def _run_steps(work: Work, steps: list[SyncStep], *, gives_up: bool, stops_others: bool = True) -> Unavailable | None:
    """Take these steps together, except that those which workers died over are taken alone. Returns what one of them
    has to wait for, if anything. Raises SliceOver when the turn is over."""
    delayed = None
    work.turn.steps.update((step.resource_type, step) for step in steps)
    for batch in worker_deaths.batches(steps):
        streams = [_STREAMS[stepping.asking(step).way](step, work) for step in batch]
        concurrent = ConcurrentSteps(work, streams, gives_up=gives_up, stops_others=stops_others)
        concurrent.run()
        if concurrent.has_stored and _open_steps(work.run):
            work.stop_if_slice_is_over()
        delayed = concurrent.delayed or delayed
    return delayed


def _give_up_what_kills(work: Work) -> None:
    for step in filter(worker_deaths.is_given_up, _open_steps(work.run)):
        worker_deaths.log_given_up(step)
        stepping.close(step, gap=Gap.WORKER_DIED, work=work)


def _of_ways(work: Work, way: Way) -> list[SyncStep]:
    return [step for step in _open_steps(work.run) if stepping.asking(step).way is way]


def _try_to_pause(work: Work, error: NotYet | SwitchedOff | Unavailable | ClientRejected) -> bool:
    """Give the run back for a while. False if it has to go on: the provider had its chances, or its organization
    refuses us. A turn that stored something resets the count: copying a long record may meet any number of short
    faults."""
    pauses = 0 if work.turn.has_stored else work.run.pauses
    if isinstance(error, SwitchedOff):  # nobody takes it up before it is switched on again
        work.lease.give_back()
        return True
    if isinstance(error, OrganizationNotEnabled):
        return False
    if isinstance(error, RegistrationBroken | ClientRejected):  # ours to fix: no reason to end the run with gaps
        seconds: float = BROKEN_SECONDS
    elif isinstance(error, NotYet):  # another worker is refreshing, or it is too soon to refresh
        seconds = min((error.until - work.clock()).total_seconds(), LONGEST_PAUSE_SECONDS)
    elif pauses < len(PAUSES_SECONDS):
        seconds = backoff.seconds(error, pauses=pauses)
        pauses += 1
    else:
        return False
    work.lease.pause(seconds=max(math.ceil(seconds), 1), pauses=pauses)
    return True


def _open_steps(run: SyncRun) -> list[SyncStep]:
    """In the order of the plan, which is the order in which they were made."""
    return list(run.steps.filter(status__in=OPEN).order_by("pk"))


def _close_open_steps(work: Work, gap: SyncStep.Gap) -> None:
    preparing.prepare_blindly(work)
    for step in _open_steps(work.run):
        stepping.close(step, gap=gap, work=work)


def _finish(run: SyncRun, lease: Lease, *, at: datetime, denied: Collection[str] = ()) -> None:
    """End the run with its outcome."""
    steps = list(run.steps.all())
    outcome = gaps.outcome(steps)
    facts: dict[str, str | int | bool] = {
        "outcome": str(outcome),
        "gaps": sum(step.status == Status.GAP and step.gap != Gap.NOT_OFFERED for step in steps),
        "rows": sum(step.rows_kept for step in steps),
    }
    with transaction.atomic():
        lease.finish(outcome=outcome, at=at)
        organization_not_enabled.settle(run, steps, at=at)
        withholding.settle(run, steps, denied=denied, at=at)
        unanswered_references.hand_on(run, steps)
        if gaps.proves_completeness(steps):
            Connection.objects.filter(pk=run.connection_id).update(last_checked_at=at)
        _record(EventType.SYNC_FINISHED, run, at=at, facts=facts)


def _ask_for_sign_in(work: Work) -> None:
    at = work.clock()
    with contextlib.suppress(MoveNotAllowed), transaction.atomic():  # or somebody else has moved it meanwhile
        refreshing.data_refused(work.run.connection, at=at)
        facts = {"reason": Reason.DATA_REFUSED.value}
        _record(EventType.CONNECTION_NEEDS_REAUTHORIZATION, work.run, at=at, facts=facts)


def _give_back(run: SyncRun, lease: Lease, clock: Clock) -> None:
    """After an unforeseen error: try again later, and finally give up, so that no run loops for ever. What came before
    the error is shown either way."""
    gives_up = run.pauses >= len(PAUSES_SECONDS)
    if gives_up:
        with transaction.atomic():
            _drop_open_steps(run, Gap.UNREADABLE, at=clock())
    _update_shelves_if_possible(run, lease, at=clock())
    if gives_up:
        _finish(run, lease, at=clock())
    else:
        lease.pause(seconds=math.ceil(backoff.seconds(None, pauses=run.pauses)), pauses=run.pauses + 1)


def _update_shelves_if_possible(run: SyncRun, lease: Lease, *, at: datetime) -> None:
    """A second error is logged and does not hide the first: building shelves may be what failed."""
    try:
        updating_shelves.update(run, lease, at=at)
    except LeaseLost:
        _LOG.info("A sync run was taken over or its connection ended: run %s.", run.pk)
    except Exception as error:  # noqa: BLE001 - whatever it is, the run must be given back
        _LOG.error("What a sync run brought is not on shelves: run %s: %s.", run.pk, type(error).__name__)


def _abandon(run: SyncRun, lease: Lease, gap: SyncStep.Gap, *, at: datetime) -> None:
    """End everything open without another look at provider or records. What was quarantined so far raises its alarm."""
    with transaction.atomic():
        _drop_open_steps(run, gap, at=at)
        _finish(run, lease, at=at)


def _drop_open_steps(run: SyncRun, gap: SyncStep.Gap, *, at: datetime) -> None:
    for step in run.steps.filter(status__in=OPEN, rows_refused__gt=0):
        quarantining.raise_alarm(run, rows=step.rows_refused, at=at)
    run.steps.filter(status__in=OPEN).update(
        status=Status.GAP, gap=gap, watermark_at=None, sealed_cursor=None, sealed_page=None, finished_at=at
    )


def _record(event: EventType, run: SyncRun, *, at: datetime, facts: Mapping[str, str | int | bool]) -> None:
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
