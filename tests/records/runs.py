"""What tests of syncing do again and again."""

from datetime import datetime, timedelta

from django.db.models.functions import Now

from apps.connections.models import Connection
from apps.records import shelving, syncing
from apps.records.models import Record, SyncRun, SyncStep
from tests.records.linked import AT


def shelved_names(connection: Connection) -> list[str]:
    """Whom the shelf of the patient names."""
    return [patient.name for patient in shelving.patients(connection) or ()]


def sync(connection: Connection, *, at: datetime = AT) -> SyncRun:
    """One run, as far as it goes."""
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()
    return run


def resume(run: SyncRun, *, at: datetime = AT) -> None:
    """As if the pause or the lease were over."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()


def step(run: SyncRun, resource_type: str = "AllergyIntolerance") -> SyncStep:
    """The run's step of that type."""
    return run.steps.get(resource_type=resource_type)


def stored(resource_type: str = "AllergyIntolerance") -> set[str]:
    """The ids of the records of that type."""
    return set(Record.objects.filter(resource_type=resource_type).values_list("logical_id", flat=True))
