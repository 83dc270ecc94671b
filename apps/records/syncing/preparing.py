"""Make the steps of a run, once, when it is known what the provider offers.

Each step keeps how it asks, so a run continues as it began, whatever changes meanwhile. Steps that an earlier release
made when the run started are completed, and continue at their cursors.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet

from apps.connections.grants import granted_access
from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.syncing import planning, unanswered_references, version_changes, watermarks
from apps.records.syncing.planning import Planned
from apps.records.syncing.received_rows import doubting
from apps.records.syncing.stepping import Work
from apps.records.syncing.watermarks import Watermark
from apps.records.syncing.workers import worker_deaths

Status = SyncStep.Status
Gap = SyncStep.Gap


def prepare(work: Work) -> None:
    """Ask what the provider offers, and make the steps that follow from it; does nothing if that is done.

    Raises what `Source.capability` raises, and LeaseLost.
    """
    if work.run.planned_at is None:
        statement = work.source.capability()
        shared = granted_access.readable_types(work.run.connection)
        version = statement.version if statement is not None else ""
        _make(work, planning.plan(work.source.server, statement, shared=shared), version=version)
    work.source.heed(work.run.stated_version)


def prepare_blindly(work: Work) -> None:
    """Make steps for all types that we know, if the provider never said what it offers. Raises LeaseLost."""
    if work.run.planned_at is None:
        shared = granted_access.readable_types(work.run.connection)
        _make(work, planning.plan(work.source.server, None, shared=shared))


def _make(work: Work, plan: tuple[Planned, ...], *, version: str = "") -> None:
    run = work.run
    now = work.clock()
    with transaction.atomic():
        work.lease.extend()
        run.planned_at = now
        run.stated_version = version
        run.is_full = _is_full(run, at=now)
        run.deaths = 0  # those counted so far were during planning, which is over
        run.save(update_fields=["planned_at", "stated_version", "is_full", "deaths"])
        there = {step.resource_type: step for step in run.steps.all()}
        since = {} if run.is_full else watermarks.known(run, at=now)
        before = _steps_before(run)
        closed = _closed_doors(run, before, at=now)
        new = []
        for planned in plan:
            known = there.get(planned.resource_type)
            last = before.get(planned.resource_type)
            step = _planned_step(known, planned, run, since=since, at=now)
            if planned.resource_type in closed and not step.gap:
                _close(step, Gap.TURNED_AWAY, at=now)
            if known is None:
                step.deaths = worker_deaths.deaths_to_begin_with(last)
                new.append(step)
            else:
                step.save()
        SyncStep.objects.bulk_create(new)
        unanswered_references.take_over(run)


def _steps_before(run: SyncRun) -> dict[str, SyncStep]:
    """The steps of the connection's previous run, by type."""
    last = worker_deaths.run_before(run)
    steps = last.steps.only("run", "resource_type", "gap", "rows_kept", "watermark_at") if last is not None else ()
    return {step.resource_type: step for step in steps}


def _planned_step(
    there: SyncStep | None, planned: Planned, run: SyncRun, *, since: Mapping[str, Watermark], at: datetime
) -> SyncStep:
    step = there or SyncStep(run=run, user_id=run.user_id, resource_type=planned.resource_type)
    if step.finished_at is not None:
        return step
    known = since.get(planned.resource_type) if planned.tells_changes and there is None else None
    step.since_at = known.at if known else None
    asking = planned.asking(since=watermarks.instant(known.at), whole=known.whole) if known else planned.asking()
    step.asked = asking.written()
    if not (planned.is_offered and planned.is_shared):
        _close(step, Gap.NOT_SHARED if planned.is_offered else Gap.NOT_OFFERED, at=at)
    return step


def _close(step: SyncStep, gap: SyncStep.Gap, *, at: datetime) -> None:
    """End a step without asking anything."""
    step.status = Status.GAP
    step.gap = gap
    step.sealed_cursor = None
    step.finished_at = at


def _closed_doors(run: SyncRun, before: Mapping[str, SyncStep], *, at: datetime) -> set[str]:
    """Types that are skipped because at the last check nothing of them came although the token was good, and neither a
    full proof is due nor has the patient signed in since: each such refusal costs a refresh, and only the
    provider can end it. A type of which we hold rows was accessible and may soon be again; it is skipped only once the
    refusals have lasted (`_stays_closed`)."""
    if run.is_full:
        return set()
    closed = {name for name, last in before.items() if last.gap == Gap.TURNED_AWAY and not last.came_in_part}
    return {name for name in closed if not _holds_any(run, name) or _stays_closed(run, name, at=at)}


def _stays_closed(run: SyncRun, resource_type: str, *, at: datetime) -> bool:
    """Whether every check has refused it for as long as we doubt anything."""
    steps = SyncStep.objects.filter(run__connection=run.connection_id, resource_type=resource_type, finished_at__lte=at)
    refused = steps.filter(gap=Gap.TURNED_AWAY)
    last_open = steps.exclude(gap=Gap.TURNED_AWAY).aggregate(Max("finished_at"))["finished_at__max"]
    if last_open is not None:
        refused = refused.filter(finished_at__gt=last_open)
    return refused.filter(finished_at__lte=at - doubting.BELIEVED_AFTER).exists()


def _holds_any(run: SyncRun, resource_type: str) -> bool:
    held = Record.objects.filter(user_id=run.user_id, connection_id=run.connection_id, resource_type=resource_type)
    return held.filter(removed_at__isnull=True).exists()


def _is_full(run: SyncRun, *, at: datetime) -> bool:
    """Whether it is time for a full proof: there was none for a week, or none since the patient signed in again and may
    have changed what is shared, or none since the provider changed its FHIR version (or changed back), unless it keeps
    doing so. A proof dated in the future, by a wrong clock, does not count."""
    proofs: QuerySet[SyncRun] = SyncRun.objects.filter(
        connection=run.connection_id,
        is_full=True,
        outcome__in=[SyncRun.Outcome.COMPLETE, SyncRun.Outcome.PARTIAL],
        created_at__lte=at,
    )
    if not version_changes.wavers(run, at=at):
        proofs = version_changes.since_it_changed(run, proofs)
    proven_at = proofs.aggregate(Max("created_at"))["created_at__max"]
    if proven_at is None or proven_at <= at - watermarks.FULL_PROOF_EVERY:
        return True
    return AuthorizationRequest.objects.filter(
        connection=run.connection_id, is_reauthorization=True, outcome=Outcome.COMPLETED, claimed_at__gt=proven_at
    ).exists()
