"""Start sync runs, take them further, and look at what they stored."""

import os
import subprocess
import sys
from datetime import datetime, timedelta
from typing import Any

from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import shelving, syncing
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.shelving import open_shelf, reading
from apps.records.shelving.arranging import Arrangement
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.linked import AT, give_tokens


def shelved_names(connection: Connection) -> list[str]:
    """The names on the connection's shelf of the patient."""
    return [patient.name for patient in shelving.patients(connection) or ()]


def shelved(connection: Connection, subject: str) -> list[Any]:
    """The entries of this subject's list, as they are on its shelf."""
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        found = open_shelf.shelves(connection.user_id, ring, subjects=[subject])
        rows = reading.window(found, {subject: Arrangement.LISTED}, 0, 99, ring)
        return [row.entry for row in rows if row.connection_id == connection.pk]


def sync(connection: Connection, *, at: datetime = AT, cause: SyncRun.Cause = SyncRun.Cause.CONFIRMED) -> SyncRun:
    """Start a run and take it as far as it goes."""
    run = syncing.start(connection, cause=cause, at=at)
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()
    return run


def sync_now(connection: Connection, cause: SyncRun.Cause = SyncRun.Cause.CONFIRMED) -> SyncRun:
    """The same at the current time, for tests of pages, whose views read the clock themselves."""
    return sync(connection, at=timezone.now(), cause=cause)


def check(connection: Connection, days: int) -> SyncRun:
    """Check for changes, that many days after the first copy, with tokens that are valid."""
    at = AT + timedelta(days=days)
    give_tokens(connection, issued_at=at)
    return sync(connection, at=at)


def resume(run: SyncRun, *, at: datetime = AT) -> None:
    """Take a run further as if its pause, or its lease, had ended."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()


def step(run: SyncRun, resource_type: str = "AllergyIntolerance") -> SyncStep:
    """The run's step for this resource type."""
    return run.steps.get(resource_type=resource_type)


def stored(resource_type: str = "AllergyIntolerance") -> set[str]:
    """The ids of the stored records of this type."""
    return set(Record.objects.filter(resource_type=resource_type).values_list("logical_id", flat=True))


def worker_process(run: SyncRun) -> subprocess.Popen[bytes]:
    """Start a worker in a separate process, which takes the run as far as it goes on this test's database."""
    database = connections["default"].settings_dict
    url = f"postgres://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
    program = f"""
import django
django.setup()
from datetime import datetime
from uuid import UUID
from apps.records import syncing
syncing.advance(UUID("{run.pk}"), at=datetime.fromisoformat("{AT.isoformat()}"))
"""
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    return subprocess.Popen([sys.executable, "-c", program], env=environment)
