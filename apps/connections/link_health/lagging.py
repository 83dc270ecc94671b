"""Which refreshes are due, and how late they are, by client registration."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import doubting, protocol
from apps.directory import moving
from apps.directory.models import Enablement, Endpoint

LATE = timedelta(minutes=15)  # beat runs every minute, so something that was due for this long was not picked up
STUCK = timedelta(minutes=5)  # a lease expires after half a minute, and the next run takes the link
A_DAY = timedelta(hours=24)
LONGEST_WAIT = timedelta(hours=1)  # from one failure to the next try (`refreshing.protocol`)
_FAILING_TRIES = 3  # in a row: fewer may be a short outage


@dataclass(frozen=True, kw_only=True)
class Lag:
    """For one registration. Links of endpoints that staff switched off count only as `parked`.

    - `due`: to be refreshed now; `overdue`: of these, due for 15 minutes; `oldest_due_at`: since when the first.
    - `stuck`: of these, claimed by a worker whose lease expired five minutes ago, and not claimed since.
    - `waiting`: failed before, and to be tried again within the hour.
    - `parked`: would be due if their endpoint were switched on.
    - `broken_off`: the last attempt raised an unexpected error; `broken_off_ending`: of these, ending within a day.
    - `failing`: answered three times in a row with nothing that refreshes or ends them; `failing_ending`: of these,
      ending within a day.
    - `refused`: refused by their server, asked for again in vain, and `refused_since` when the first. The server has
      accepted no older tokens since (`refreshing.doubting`), so it may be mistaken.
    """

    due: int = 0
    overdue: int = 0
    stuck: int = 0
    waiting: int = 0
    oldest_due_at: datetime | None = None
    parked: int = 0
    broken_off: int = 0
    broken_off_ending: int = 0
    failing: int = 0
    failing_ending: int = 0
    refused: int = 0
    refused_since: datetime | None = None

    def lag_seconds(self, *, at: datetime) -> float:
        """How late the latest is; 0 if nothing is due."""
        return max((at - self.oldest_due_at).total_seconds(), 0) if self.oldest_due_at else 0


def by_registration(*, at: datetime) -> Mapping[UUID, Lag]:
    """For each registration that has any of these. Reads no other rows."""
    found: dict[UUID, dict[str, Any]] = defaultdict(dict)
    for counts in (_due(at), _parked(), _broken_off(at), _failing(at), _refused(at)):
        for registration_id, columns in counts.items():
            found[registration_id] |= columns
    return {registration_id: Lag(**columns) for registration_id, columns in found.items()}


def broken_off() -> QuerySet[StoredTokenSet]:
    """Links whose last attempt raised an unexpected error. After a later success or a new sign-in, `tries` is 0."""
    active = Connection.Status.ACTIVE
    return StoredTokenSet.objects.filter(broke_off_at__isnull=False, tries__gt=0, connection__status=active)


def _broken_off(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    is_ending = Q(refresh_deadline_at__lte=at + A_DAY)
    rows = broken_off().order_by().values("registration_id")
    return _told_apart(rows.annotate(broken_off=Count("pk"), broken_off_ending=Count("pk", filter=is_ending)))


def _failing(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    """Such as a web page instead of tokens, or a non-standard error. Without links for which the reason is known: a
    provider that moved, or an organization that has not enabled us."""
    known = moving.awaiting().values("pk").union(Enablement.objects.filter(is_enabled=False).values("endpoint"))
    rows = StoredTokenSet.objects.filter(
        refresh_due_at__lte=at + LONGEST_WAIT,
        tries__gte=_FAILING_TRIES,
        silent_since__isnull=True,
        broke_off_at__isnull=True,
        refused_at__isnull=True,
    )
    if ids := list(known):
        rows = rows.exclude(connection__endpoint__in=[one["pk"] for one in ids])
    is_ending = Q(refresh_deadline_at__lte=at + A_DAY)
    counted = _on(rows).order_by().values("registration_id")
    return _told_apart(counted.annotate(failing=Count("pk"), failing_ending=Count("pk", filter=is_ending)))


def _refused(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    """By then each was asked for a second time, and those whose server accepts other tokens are no longer doubted."""
    twice_by = at - 2 * protocol.AGAIN_AFTER_REFUSAL[0]
    rows = doubting.suspicious().filter(refused_at__lte=twice_by).order_by().values("registration_id")
    return _told_apart(rows.annotate(refused=Count("pk"), refused_since=Min("refused_at")))


def _parked() -> Mapping[UUID, Mapping[str, Any]]:
    rows = StoredTokenSet.objects.filter(parked_endpoint__isnull=False, connection__status=Connection.Status.ACTIVE)
    return _told_apart(rows.order_by().values("registration_id").annotate(parked=Count("pk")))


def _due(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    is_due = Q(refresh_due_at__lte=at)
    rows = (
        _on(StoredTokenSet.objects.filter(refresh_due_at__lte=at + LONGEST_WAIT))
        .order_by()
        .values("registration_id")
        .annotate(
            due=Count("pk", filter=is_due),
            overdue=Count("pk", filter=Q(refresh_due_at__lte=at - LATE)),
            stuck=Count("pk", filter=is_due & Q(attempt_id__isnull=False, lease_until__lte=at - STUCK)),
            waiting=Count("pk", filter=~is_due & Q(tries__gt=0)),
            oldest_due_at=Min("refresh_due_at", filter=is_due),
        )
    )
    return _told_apart(rows)


def _told_apart(rows: Iterable[Mapping[str, Any]]) -> Mapping[UUID, Mapping[str, Any]]:
    """Counts by their registration."""
    return {
        row["registration_id"]: {name: value for name, value in row.items() if name != "registration_id"}
        for row in rows
    }


def _on(rows: QuerySet[StoredTokenSet]) -> QuerySet[StoredTokenSet]:
    """Without those of endpoints that are off. Connections are joined only if there are such endpoints."""
    living = Connection.objects.living().filter(endpoint=OuterRef("pk"))
    off = Endpoint.objects.filter(is_switched_on=False).filter(Exists(living)).values_list("pk", flat=True)
    if not (ids := list(off)):
        return rows
    return rows.exclude(connection__endpoint__in=ids)
