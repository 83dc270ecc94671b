"""Which connections are refused everything by their provider, as far as the last run that ended tells."""

from collections.abc import Iterable
from uuid import UUID

from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep


def of(connections: Iterable[Connection]) -> frozenset[UUID]:
    """Their ids. One query, none where there is no connection."""
    ids = [connection.pk for connection in connections]
    if not ids:
        return frozenset()
    ended = SyncRun.objects.filter(connection__in=ids, finished_at__isnull=False)
    last = ended.order_by("connection", "-created_at").distinct("connection").values("pk")
    refused = SyncRun.objects.filter(pk__in=last, steps__gap=SyncStep.Gap.NOT_ENABLED)
    return frozenset(refused.values_list("connection_id", flat=True).distinct())
