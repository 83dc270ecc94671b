"""Which connections are due for a check: told by stored rows and the time, so that nothing is ever merely scheduled."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from apps.connections.models import Connection
from apps.records.models import SyncRun

# Often enough for a patient to rely on, and twice within interface A's window of 48 hours.
EVERY = timedelta(days=1)


def due_for_sync(at: datetime) -> QuerySet[Connection]:
    """Active connections without a run of the last day, longest waiting first."""
    recent = SyncRun.objects.filter(connection=OuterRef("pk"), created_at__gt=at - EVERY)
    unfinished = SyncRun.objects.filter(connection=OuterRef("pk"), finished_at__isnull=True)
    return Connection.objects.active().filter(~Exists(recent), ~Exists(unfinished)).order_by("last_checked_at", "pk")
