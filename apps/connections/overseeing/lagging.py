"""What is due for refresh and how late it is, by client registration."""

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

LATE = timedelta(minutes=15)  # beat comes every minute; what is due this long was left lying
STUCK = timedelta(minutes=5)  # a lease runs out after half a minute, and the next pull takes up what it held
A_DAY = timedelta(hours=24)
LONGEST_WAIT = timedelta(hours=1)  # from one failure to the next try (`refreshing.protocol`)
_FAILING_TRIES = 3  # in a row: once or twice may be an hour of theirs


@dataclass(frozen=True, kw_only=True)
class Lag:
    """Of one registration: `due` links are to be renewed now, and `overdue` of them since 15 minutes; `stuck` of them
    were taken by a worker whose lease ran out five minutes ago, and nobody took them up. `waiting` are others, that
    failed and are to be tried again within the hour. Links of endpoints that staff switched off count for none of
    these: those that would be due are `parked`. `broken_off` are links whose last attempt ended in a way nobody
    foresaw, and `broken_off_ending` those of them whose permission ends within a day. `failing` and `failing_ending`
    are those that were answered three times in a row, with nothing that renews or ends them. `refused` were refused by
    their server and asked for again in vain, `refused_since` when the first: as it has taken no older tokens since
    (`refreshing.doubting`), it may well be mistaken."""

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
        """How late the latest is; 0 where nothing is due."""
        return max((at - self.oldest_due_at).total_seconds(), 0) if self.oldest_due_at else 0


def by_registration(*, at: datetime) -> Mapping[UUID, Lag]:
    """Of every registration that has any of these. Reads no row that is none of them."""
    found: dict[UUID, dict[str, Any]] = defaultdict(dict)
    for counts in (_due(at), _parked(), _broken_off(at), _failing(at), _refused(at)):
        for registration_id, columns in counts.items():
            found[registration_id] |= columns
    return {registration_id: Lag(**columns) for registration_id, columns in found.items()}


def broken_off() -> QuerySet[StoredTokenSet]:
    """Links whose last attempt broke off. What was tried with success since, or by a new sign-in, has no tries."""
    active = Connection.Status.ACTIVE
    return StoredTokenSet.objects.filter(broke_off_at__isnull=False, tries__gt=0, connection__status=active)


def _broken_off(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    is_ending = Q(refresh_deadline_at__lte=at + A_DAY)
    rows = broken_off().order_by().values("registration_id")
    return _told_apart(rows.annotate(broken_off=Count("pk"), broken_off_ending=Count("pk", filter=is_ending)))


def _failing(at: datetime) -> Mapping[UUID, Mapping[str, Any]]:
    """A page where tokens should be, or an error that no standard knows. Not those of which it is known why: a provider
    that moved, or an organization that does not let us in."""
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
    """By then each was asked for a second time, and those of servers that take others' tokens are doubted no more."""
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
    """Without those of endpoints that are off. Connections are looked at only where there are such endpoints."""
    living = Connection.objects.living().filter(endpoint=OuterRef("pk"))
    off = Endpoint.objects.filter(is_switched_on=False).filter(Exists(living)).values_list("pk", flat=True)
    if not (ids := list(off)):
        return rows
    return rows.exclude(connection__endpoint__in=ids)
