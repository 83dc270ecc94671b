"""A server that moves to another FHIR version at the same address, before the directory says so.

Some types exist in one version only. What was a MedicationOrder comes again as a MedicationRequest (interface facts
1.6), and our copy of the first would stand beside it, as a duplicate. So records of types that the new version lacks
are marked as gone, once three things are true: the server states the new version, a type that only the new version has
came completely, and no type of the old one is answered any more. A type is gone when all that replaces it came
completely; a type that nothing replaces, when everything did. What is gone keeps all its versions and leaves the lists,
like anything that a provider no longer has.

A server that moves back is treated the same way: what it had in between is gone.

A statement alone proves nothing. Some servers publish somebody else's, and if two machines answer in turn, each states
its own version. So a change is followed by a full proof, and nothing is marked as gone without one. If the version
keeps changing, only the first few changes are followed, since each costs the provider the whole record. If hardly
anything came in place of much, that is doubted first (`doubting`).
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import pairwise
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.subjects import shelved_for
from apps.records.syncing import gaps, planning, watermarks
from apps.records.syncing.received_rows import doubting
from apps.records.syncing.workers.leasing import Lease
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion

Status = SyncStep.Status
Gap = SyncStep.Gap

# How a server answers for a type that it does not know: 404, or 400 and the like.
_UNKNOWN = frozenset({Gap.NOT_OFFERED, Gap.REFUSED})
# Within the period of one full proof: a change and its reversal, as when an upgrade is rolled back. Each further one
# would cost the provider the whole record.
_MOST_CHANGES: Final = 2
_BROUGHT: Final = (SyncRun.Outcome.COMPLETE, SyncRun.Outcome.PARTIAL)
# A step in which rows were marked as gone because their server changed its version: no other step with this gap removed
# rows.
IS_MARK: Final = Q(gap=Gap.NOT_OFFERED, rows_removed__gt=0)
_AT_ONCE: Final = 8  # runs examined at a time: mostly the first decides


def settle(run: SyncRun, lease: Lease, *, at: datetime) -> None:
    """If this run, whose steps have ended, proves that its server changed its version, mark what the new version does
    not know as gone. Raises LeaseLost."""
    steps = list(run.steps.all())
    if not (has_stated_another(run) or changed_at(run)) or not _speaks(FhirVersion(run.stated_version), steps):
        return
    if not (run.is_full or since_it_changed(run, SyncRun.objects.filter(is_full=True, outcome__in=_BROUGHT)).exists()):
        return
    old = _of_old_version(run, steps)
    came = [step for step in steps if step not in old]
    is_whole = gaps.proves_completeness(came)
    with transaction.atomic():
        lease.extend()
        for step in old:
            if is_whole or _is_replaced(step, came, FhirVersion(run.stated_version)):
                _mark(run, step, at=at)
                step.save(update_fields=["gap", "rows_removed", "needs_shelf"])
        if not is_whole:
            return
        named = {step.resource_type for step in steps}
        for name in _outlived(run) - named:
            if shelved_for(name):
                step = SyncStep(run=run, user_id=run.user_id, resource_type=name, status=Status.GAP, finished_at=at)
                _mark(run, step, at=at)
                step.save()


def has_stated_another(run: SyncRun) -> bool:
    """Whether the server stated another version than the directory has."""
    return run.stated_version not in {"", run.connection.endpoint.fhir_version}


def changed_at(run: SyncRun) -> datetime | None:
    """When an earlier check last found another version stated; None if none did. A server that changes back speaks the
    directory's version again."""
    if not run.stated_version:
        return None
    earlier = SyncRun.objects.filter(connection=run.connection_id, created_at__lt=run.created_at)
    others = earlier.exclude(stated_version__in=["", run.stated_version])
    last: datetime | None = others.aggregate(Max("created_at"))["created_at__max"]
    return last


def since_it_changed(run: SyncRun, proofs: QuerySet[SyncRun]) -> QuerySet[SyncRun]:
    """Those proofs of its connection that hold for the version that its server states now: made in that version, if it
    is not the directory's, and later than the last check that found another one."""
    proofs = proofs.filter(connection=run.connection_id)
    if has_stated_another(run):
        proofs = proofs.filter(stated_version=run.stated_version)
    at = changed_at(run)
    return proofs if at is None else proofs.filter(created_at__gt=at)


def wavers(run: SyncRun, *, at: datetime) -> bool:
    """Whether the stated version changed so often lately that the next change is no reason to ask for everything."""
    lately = SyncRun.objects.filter(
        connection=run.connection_id,
        created_at__gt=at - watermarks.FULL_PROOF_EVERY,
        created_at__lt=run.created_at,
    )
    stated = lately.exclude(stated_version="").order_by("created_at").values_list("stated_version", flat=True)
    changes = sum(before != after for before, after in pairwise((*stated, run.stated_version)))
    return bool(run.stated_version) and changes > _MOST_CHANGES


def version_of(connection: Connection) -> FhirVersion:
    """The FHIR version of its records now: the one shown by the latest check that shows any. A check that brought
    hardly anything shows none. If its server never stated another version, the directory's."""
    return versions_of([connection])[connection.pk]


def versions_of(connections: Collection[Connection]) -> dict[UUID, FhirVersion]:
    """The same for several connections. One query, and more only for those whose server ever stated another version."""
    stated = SyncRun.objects.filter(connection__in=connections).exclude(stated_version="")
    others = stated.exclude(stated_version=F("connection__endpoint__fhir_version"))
    changed = set(others.values_list("connection_id", flat=True).distinct())
    versions = {one.pk: FhirVersion(one.endpoint.fhir_version) for one in connections}
    return {pk: _shown_last(pk) or version if pk in changed else version for pk, version in versions.items()}


def _shown_last(connection_id: UUID) -> FhirVersion | None:
    brought = SyncRun.objects.filter(connection=connection_id, outcome__in=_BROUGHT).exclude(stated_version="")
    runs = brought.order_by("-created_at").prefetch_related("steps").iterator(chunk_size=_AT_ONCE)
    return next(filter(None, (_shown(run.steps.all()) for run in runs)), None)


def gone(connections: Collection[Connection]) -> dict[UUID, dict[str, int]]:
    """For each connection, by type, how many rows were marked as gone because the server changed its version, and have
    not come back. Two queries."""
    marks = SyncStep.objects.filter(IS_MARK, run__connection__in=connections)
    marks = marks.order_by("run__connection", "resource_type", "-run__created_at")
    steps = list(marks.distinct("run__connection", "resource_type").select_related("run"))
    found: dict[UUID, dict[str, int]] = {one.pk: {} for one in connections}
    went = Q()
    for step in steps:
        ended = Q(removed_at__lte=step.run.finished_at) if step.run.finished_at is not None else Q()
        its = Q(connection=step.run.connection_id, resource_type=step.resource_type)
        went |= ended & its & Q(removed_at__gte=step.run.created_at)
    if steps:
        rows = Record.objects.filter(went, user_id__in={one.user_id for one in connections})
        for pk, name, count in rows.values_list("connection_id", "resource_type").annotate(Count("pk")):
            found[pk][name] = count
    return found


def _shown(steps: Collection[SyncStep]) -> FhirVersion | None:
    return next((version for version in FhirVersion if _speaks(version, steps)), None)


def _speaks(version: FhirVersion, steps: Collection[SyncStep]) -> bool:
    """Whether the steps came from a server that knows what this version alone has, and nothing that only others
    have."""
    new, old = resource_types.only_in(version), resource_types.only_in_others(version)
    came = any(step.resource_type in new and step.status == Status.COMPLETE for step in steps)
    return came and all(_is_unknown(step) for step in steps if step.resource_type in old)


def _is_unknown(step: SyncStep) -> bool:
    """A step that `settle` doubted was not answered, either: a valid, empty answer counts as a page."""
    return not step.rows_got and (step.gap in _UNKNOWN or (step.gap == Gap.UNSEEN and not step.pages))


def _of_old_version(run: SyncRun, steps: Iterable[SyncStep]) -> list[SyncStep]:
    old = resource_types.only_in_others(FhirVersion(run.stated_version))
    return [step for step in steps if step.resource_type in old]


def _outlived(run: SyncRun) -> set[str]:
    """Types of rows that we hold and the stated version does not know. If that version is not the directory's, also
    types that only the old statement named, unless they came completely under the new one."""
    held = Record.objects.filter(user_id=run.user_id, connection_id=run.connection_id, removed_at__isnull=True)
    types = set(held.values_list("resource_type", flat=True).distinct()) - planning.ACCOMPANYING
    if not has_stated_another(run):
        return types & resource_types.only_in_others(FhirVersion(run.stated_version))
    runs = since_it_changed(run, SyncRun.objects.all())
    known = SyncStep.objects.filter(run__in=runs, status=Status.COMPLETE)
    return types - set(known.values_list("resource_type", flat=True).distinct())


def _is_replaced(old: SyncStep, came: Iterable[SyncStep], version: FhirVersion) -> bool:
    """Whether everything that replaces this type in this version came completely, whatever else did not."""
    successors = [step for step in came if step.resource_type in _beside(old.resource_type, version)]
    is_there = any(step.status == Status.COMPLETE for step in successors)
    return is_there and gaps.proves_completeness(successors)


def _mark(run: SyncRun, step: SyncStep, *, at: datetime) -> None:
    """Mark the rows of this type as gone, or as unseen while that is in doubt."""
    here = Record.objects.filter(user_id=run.user_id, connection_id=run.connection_id, removed_at__isnull=True)
    came = here.filter(resource_type__in=_in_place_of(step.resource_type, FhirVersion(run.stated_version))).count()
    held = here.filter(resource_type=step.resource_type)
    went, is_in_doubt = doubting.settle(held, run_id=run.pk, came=came, at=at)
    step.gap = Gap.UNSEEN if is_in_doubt else Gap.NOT_OFFERED
    step.rows_removed += went
    step.needs_shelf = step.needs_shelf or went > 0


def _in_place_of(resource_type: str, version: FhirVersion) -> frozenset[str]:
    """The types of this version alone that replace this type; if nothing does, all types that only this version has."""
    return _beside(resource_type, version) or resource_types.only_in(version)


def _beside(resource_type: str, version: FhirVersion) -> frozenset[str]:
    beside = {name for subject in shelved_for(resource_type) for name in subject.resource_types}
    return resource_types.only_in(version) & beside
