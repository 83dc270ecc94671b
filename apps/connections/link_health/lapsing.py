"""How many permissions end soon, by client registration: those that we cannot prolong, and those that we refresh."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q

from apps.connections.models import Connection, StoredTokenSet

SOON = timedelta(hours=12)
LATER = timedelta(hours=24)

# Registration by registration, so that the index finds the few that end soon without reading the others.
_REFRESHING = """
SELECT registration.id, found.soon, found.later
FROM directory_clientregistration AS registration
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE stored.refresh_deadline_at <= %(soon)s) AS soon, count(*) AS later
    FROM connections_storedtokenset AS stored
    WHERE stored.registration_id = registration.id AND stored.refresh_due_at IS NOT NULL AND stored.refused_at IS NULL
        AND stored.refresh_deadline_at > %(at)s AND stored.refresh_deadline_at <= %(later)s
) AS found
WHERE found.later > 0
"""


@dataclass(frozen=True, kw_only=True)
class Lapsing:
    """How many permissions of one registration end within 12 and within 24 hours; the latter include the former.

    `ending_…`: their end is known, and only the patient can prolong them. `refreshing_…`: they end unless beat
    refreshes them, which is planned, or happens once staff switch their endpoint on.
    """

    ending_in_12_hours: int = 0
    ending_in_24_hours: int = 0
    refreshing_in_12_hours: int = 0
    refreshing_in_24_hours: int = 0


def by_registration(*, at: datetime) -> Mapping[UUID, Lapsing]:
    """For each registration that has any."""
    found: dict[UUID, dict[str, int]] = defaultdict(dict)
    for registration_id, soon, later in _ending(at):
        found[registration_id] |= {"ending_in_12_hours": soon, "ending_in_24_hours": later}
    for registration_id, soon, later in (*_refreshing(at), *_parked(at)):
        counts = found[registration_id]
        counts["refreshing_in_12_hours"] = counts.get("refreshing_in_12_hours", 0) + soon
        counts["refreshing_in_24_hours"] = counts.get("refreshing_in_24_hours", 0) + later
    return {registration_id: Lapsing(**counts) for registration_id, counts in found.items()}


def _ending(at: datetime) -> list[tuple[UUID, int, int]]:
    rows = Connection.objects.active().filter(lapses_at__gt=at, lapses_at__lte=at + LATER)
    return list(
        rows.order_by()
        .values("registration_id")
        .annotate(soon=Count("pk", filter=Q(lapses_at__lte=at + SOON)), later=Count("pk"))
        .values_list("registration_id", "soon", "later")
    )


def _parked(at: datetime) -> list[tuple[UUID, int, int]]:
    """They have no due time while their endpoint is off, but their time limit runs on."""
    rows = StoredTokenSet.objects.filter(
        parked_endpoint__isnull=False, refresh_due_at__isnull=True, refused_at__isnull=True
    )
    ending = rows.filter(refresh_deadline_at__gt=at, refresh_deadline_at__lte=at + LATER)
    return list(
        ending.order_by()
        .values("registration_id")
        .annotate(soon=Count("pk", filter=Q(refresh_deadline_at__lte=at + SOON)), later=Count("pk"))
        .values_list("registration_id", "soon", "later")
    )


def _refreshing(at: datetime) -> list[tuple[UUID, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_REFRESHING, {"at": at, "soon": at + SOON, "later": at + LATER})
        return list(cursor.fetchall())
