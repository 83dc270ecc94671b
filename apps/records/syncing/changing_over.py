"""A server that changed over to another FHIR version where it stands, while the directory has not heard of it.

What the old version alone knows is sent anew as another type, such as a MedicationOrder as a MedicationRequest
(interface facts 1.6); what was copied before would stand beside it, twice. So where the server states the other
version, a type that it alone knows came to its end, and nothing of the old one is answered any more, what the new
version does not know is no longer there. It is kept with all its versions, and off the lists, as whatever a provider
has no more.

A server that changes back is one that changed over: what it had meanwhile is no longer there either.

A statement alone proves nothing: some publish somebody else's.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.subjects import shelved_for
from apps.records.syncing import gaps, planning
from apps.records.syncing.working.leasing import Lease
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion

Status = SyncStep.Status
Gap = SyncStep.Gap

# What a server says of a type that it does not know: 404, or 400 and the like.
_UNKNOWN = frozenset({Gap.NOT_OFFERED, Gap.REFUSED})


def settle(run: SyncRun, lease: Lease, *, at: datetime) -> None:
    """Where this run, whose steps have ended, proves that its server changed over: mark what the new version does not
    know as gone. Raises LeaseLost."""
    steps = list(run.steps.all())
    if not (has_stated_another(run) or changed_at(run)) or not _speaks_as_stated(run, steps):
        return
    old = _of_old_version(run, steps)
    if not gaps.proves_completeness(step for step in steps if step not in old):
        return
    with transaction.atomic():
        lease.extend()
        for step in old:
            step.gap = Gap.NOT_OFFERED
            _mark(run, step, at=at)
            step.save(update_fields=["gap", "rows_removed", "needs_shelf"])
        named = {step.resource_type for step in steps}
        for name in _outlived(run) - named:
            if shelved_for(name):
                step = SyncStep(
                    run=run, user_id=run.user_id, resource_type=name, status=Status.GAP, gap=Gap.NOT_OFFERED
                )
                step.finished_at = at
                _mark(run, step, at=at)
                step.save()


def has_stated_another(run: SyncRun) -> bool:
    """Whether the server stated another version than the directory has."""
    return run.stated_version not in {"", run.connection.endpoint.fhir_version}


def speaks_as_stated(run: SyncRun, steps: Collection[SyncStep]) -> bool:
    """Whether the server answered in this run as one of the version does that it states, which is not the
    directory's."""
    return has_stated_another(run) and _speaks_as_stated(run, steps)


def _speaks_as_stated(run: SyncRun, steps: Collection[SyncStep]) -> bool:
    """Whether it knows what that version alone has, and nothing of what the other has."""
    new = resource_types.only_in(FhirVersion(run.stated_version))
    came = [step for step in steps if step.resource_type in new and step.status == Status.COMPLETE]
    old = _of_old_version(run, steps)
    return bool(came) and all(step.gap in _UNKNOWN and not step.rows_got for step in old)


def changed_at(run: SyncRun) -> datetime | None:
    """When a check before this one last found another version stated; None where none did. A server that changes back
    speaks the directory's again."""
    if not run.stated_version:
        return None
    earlier = SyncRun.objects.filter(connection=run.connection_id, created_at__lt=run.created_at)
    others = earlier.exclude(stated_version__in=["", run.stated_version])
    last: datetime | None = others.aggregate(Max("created_at"))["created_at__max"]
    return last


def version_of(connection: Connection) -> FhirVersion:
    """In which version its records are now: the directory's, unless the last check that brought any showed another."""
    brought = connection.sync_runs.filter(outcome__in=[SyncRun.Outcome.COMPLETE, SyncRun.Outcome.PARTIAL])
    run = brought.exclude(stated_version="").order_by("-created_at").first()
    if run is not None and has_stated_another(run) and speaks_as_stated(run, list(run.steps.all())):
        return FhirVersion(run.stated_version)
    return FhirVersion(connection.endpoint.fhir_version)


def _of_old_version(run: SyncRun, steps: Iterable[SyncStep]) -> list[SyncStep]:
    old = resource_types.only_in_others(FhirVersion(run.stated_version))
    return [step for step in steps if step.resource_type in old]


def _outlived(run: SyncRun) -> set[str]:
    """Types of rows that are here, and that its version does not know; where that is not the directory's, also those
    that nothing but the old statement named, if the new one does not."""
    held = Record.objects.filter(user_id=run.user_id, connection_id=run.connection_id, removed_at__isnull=True)
    types = set(held.values_list("resource_type", flat=True).distinct()) - planning.ACCOMPANYING
    return types if has_stated_another(run) else types & resource_types.only_in_others(FhirVersion(run.stated_version))


def _mark(run: SyncRun, step: SyncStep, *, at: datetime) -> None:
    held = Record.objects.filter(
        user_id=run.user_id, connection_id=run.connection_id, resource_type=step.resource_type, removed_at__isnull=True
    )
    step.rows_removed += held.update(removed_at=at, unseen_at=None)
    step.needs_shelf = step.needs_shelf or step.rows_removed > 0
