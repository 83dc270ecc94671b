"""Rebuild the shelves that a sync run made out of date: once for all steps that ended in a turn, even if a worker dies.

Names, such as those of doctors, medicines and devices, may come after the rows that refer to them, or only in a later
run. When they have come, the shelves of all rows that may refer to them are rebuilt once more. Shelves that an earlier
run did not build are built with the next run; if workers died over them, they can cost that run one worker at most.
"""

import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from apps.records import shelving
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.shelving import contexts, renewing
from apps.records.subjects import SUBJECTS, Subject, shelved_for
from apps.records.syncing.planning import REFERENCED
from apps.records.syncing.workers import worker_deaths
from apps.records.syncing.workers.leasing import Lease

_LOG = logging.getLogger(__name__)

_OPEN = (SyncStep.Status.WAITING, SyncStep.Status.GETTING)


def update(run: SyncRun, lease: Lease, *, at: datetime) -> None:
    """Build the shelves that changed, are missing or do not open.

    Raises LeaseLost, and `apps.vault.errors.VaultError` if a key is missing.
    """
    ended = _ended(run)
    unshown = ended.filter(needs_shelf=True)
    changed = set(unshown.values_list("resource_type", flat=True))
    naming = _naming(run) if changed.intersection(contexts.TYPES) else set[str]()
    kept = ended.filter(run=run, rows_kept__gt=0).values_list("resource_type", flat=True)
    have = set(Shelf.objects.filter(connection=run.connection_id).values_list("subject", flat=True))
    unreadable = shelving.unreadable(run.connection) if have else set()
    wanted = _subjects(changed, set(kept), have, unreadable | (_keys(naming) & have))
    if not (wanted or changed):
        return
    if worker_deaths.is_given_up(run):  # shelves not built stay marked, for the next run and `rebuild_shelves`
        _LOG.error("Shelves are not built, since workers died over them: run %s.", run.pk)
        return
    is_wary = worker_deaths.were_shelves_given_up(run)
    if is_wary and run.planned_at is None:  # until then, deaths count against planning
        return
    worker_deaths.release_all(run)
    if is_wary:
        worker_deaths.allow_one_more(run)
    with transaction.atomic():
        lease.extend()
        shelving.rebuild(run.connection, *wanted, at=at)
        unshown.update(needs_shelf=False)
        if is_wary:
            worker_deaths.acquit(run)


def ask_for_last(run: SyncRun) -> None:
    """Before the last run of a connection that is over is closed: have its shelves rebuilt on schedule if it left
    anything off them, in case the worker dies before or in `update_last`."""
    if run.steps.filter(needs_shelf=True).exists():
        shelves = Shelf.objects.filter(user_id=run.user_id, connection_id=run.connection_id)
        renewing.ask_for(shelves.values_list("pk", flat=True))


def update_last(run: SyncRun, *, at: datetime) -> None:
    """Build what it left off the shelves, now that it is closed: no other run will. A missing key is logged."""
    if run.steps.filter(needs_shelf=True).exists():
        shelving.renew(run.connection, at=at)


def _ended(run: SyncRun) -> QuerySet[SyncStep]:
    """Steps of this run and of earlier ones that have ended."""
    is_earlier = Q(run__connection=run.connection_id, run__finished_at__isnull=False)
    ended = SyncStep.objects.filter(Q(run=run) | is_earlier).exclude(status__in=_OPEN)
    if run.steps.filter(status__in=_OPEN, resource_type__in=REFERENCED).exists():
        ended = ended.exclude(resource_type__in=REFERENCED)  # all names at once, when all have come
    return ended


def _naming(run: SyncRun) -> set[str]:
    """The types of rows that may refer to something: those that came in this run and do, and all that did not come."""
    held = Record.objects.filter(user_id=run.user_id, connection_id=run.connection_id)
    others = held.exclude(confirmed_by_run=run.pk).values_list("resource_type", flat=True).distinct()
    return {*others, *run.steps.filter(refers=True).values_list("resource_type", flat=True)}


def _keys(resource_types: Iterable[str]) -> set[str]:
    return {subject.key for name in resource_types for subject in shelved_for(name)}


def _subjects(changed: set[str], kept: set[str], have: set[str], outdated: set[str]) -> list[Subject]:
    """In the order of pages."""
    wanted = _keys(changed) | (_keys(kept) - have) | outdated
    return [subject for subject in SUBJECTS if subject.key in wanted]
