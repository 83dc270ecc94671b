"""Rebuild the shelves that a sync run made out of date: once for all steps that ended in a turn, even if a worker dies.

Names, such as those of doctors, come after the rows that refer to them. When all have come, the shelves of those rows,
and no others, are rebuilt once more. Shelves that an earlier run did not build are built with the next run; if workers
died over them, they can cost that run one worker at most.
"""

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from apps.records import shelving
from apps.records.models import Shelf, SyncRun, SyncStep
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
    if changed.intersection(REFERENCED):
        named = ended.filter(refers=True, run__in={run.pk, *unshown.values_list("run_id", flat=True)})
        changed.update(named.values_list("resource_type", flat=True))
    kept = ended.filter(run=run, rows_kept__gt=0).values_list("resource_type", flat=True)
    have = set(Shelf.objects.filter(connection=run.connection_id).values_list("subject", flat=True))
    wanted = _subjects(changed, set(kept), have, shelving.unreadable(run.connection) if have else set())
    if not wanted:
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


def _ended(run: SyncRun) -> QuerySet[SyncStep]:
    """Steps of this run and of earlier ones that have ended."""
    is_earlier = Q(run__connection=run.connection_id, run__finished_at__isnull=False)
    ended = SyncStep.objects.filter(Q(run=run) | is_earlier).exclude(status__in=_OPEN)
    if run.steps.filter(status__in=_OPEN, resource_type__in=REFERENCED).exists():
        ended = ended.exclude(resource_type__in=REFERENCED)  # all names at once, when all have come
    return ended


def _subjects(changed: set[str], kept: set[str], have: set[str], unreadable: set[str]) -> list[Subject]:
    """In the order of pages."""
    of_changed = {subject.key for name in changed for subject in shelved_for(name)}
    missing = {subject.key for name in kept for subject in shelved_for(name)} - have
    return [subject for subject in SUBJECTS if subject.key in of_changed | missing | unreadable]
