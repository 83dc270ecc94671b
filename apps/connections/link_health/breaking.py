"""Which links do not work, and who must act: the patient, an operator, or their provider's own staff."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from apps.connections import reachability
from apps.connections.models import Connection, PendingRevocation
from apps.directory import moving
from apps.directory.models import ClientRegistration, Enablement, Endpoint
from apps.wire.dialects import DIALECTS

_MOST_ENDPOINTS = 50
_A_DAY = timedelta(hours=24)


@dataclass(frozen=True)
class Standings:
    """How many links of one registration have each status, and for those that need a sign-in, each reason."""

    by_status: Mapping[str, int]
    by_reason: Mapping[str, int]

    @property
    def living(self) -> int:
        """Confirmed, and neither ended nor disconnected."""
        return self.active + self.by_status.get(Connection.Status.NEEDS_REAUTHORIZATION, 0)

    @property
    def active(self) -> int:
        """Those that are refreshed."""
        return self.by_status.get(Connection.Status.ACTIVE, 0)


NO_LINKS = Standings({}, {})


def standings() -> Mapping[UUID, Standings]:
    """For each registration that ever had a link. An index answers it; no row is read."""
    rows = Connection.objects.order_by().values_list("registration_id", "status", "reason").annotate(times=Count("pk"))
    by_status: dict[UUID, dict[str, int]] = {}
    by_reason: dict[UUID, dict[str, int]] = {}
    for registration_id, status, reason, times in rows:
        statuses = by_status.setdefault(registration_id, {})
        statuses[status] = statuses.get(status, 0) + times
        reasons = by_reason.setdefault(registration_id, {})
        if reason and status == Connection.Status.NEEDS_REAUTHORIZATION:
            reasons[reason] = reasons.get(reason, 0) + times
    return {found: Standings(by_status[found], by_reason[found]) for found in by_status}


def registrations() -> Sequence[ClientRegistration]:
    """All, by label: there are as many as authorization servers that we know."""
    return list(ClientRegistration.objects.order_by("label", "pk"))


def endpoints_off() -> Sequence[tuple[Endpoint, int]]:
    """Endpoints that are switched off although patients have links there, with how many; the first 50."""
    return _with_links(Endpoint.objects.filter(is_switched_on=False))


def endpoints_unknown() -> Sequence[tuple[Endpoint, int]]:
    """Endpoints of a dialect that this release does not know although patients have links there, with how many; the
    first 50."""
    return _with_links(Endpoint.objects.filter(is_switched_on=True).exclude(dialect__in=list(DIALECTS)))


def endpoints_moved() -> Sequence[tuple[Endpoint, int]]:
    """Endpoints that moved to an origin that staff have not approved although patients have links there, with how many;
    the first 50."""
    return _with_links(moving.awaiting())


def losing_links_soon(endpoints: Collection[UUID], *, at: datetime) -> Collection[UUID]:
    """Those of these endpoints where permissions end within a day that we would refresh if the endpoint were on."""
    if not endpoints:
        return set()
    rows = Connection.objects.active().filter(
        Q(stored_token_set__refresh_due_at__isnull=False) | Q(stored_token_set__parked_endpoint__isnull=False),
        endpoint__in=endpoints,
        stored_token_set__refresh_deadline_at__gt=at,
        stored_token_set__refresh_deadline_at__lte=at + _A_DAY,
    )
    return set(rows.order_by().values_list("endpoint_id", flat=True).distinct())


def not_enabled() -> Sequence[tuple[Endpoint, int]]:
    """Endpoints whose organization refuses our application although patients have links there, with how many; the first
    50."""
    return _with_links(Endpoint.objects.filter(pk__in=Enablement.objects.filter(is_enabled=False).values("endpoint")))


def silent(*, at: datetime) -> Sequence[tuple[Endpoint, int]]:
    """Endpoints whose records answer nobody who is linked there, each with its `silence`, and how many links; the first
    50."""
    return _with_links(Endpoint.objects.filter(silence__in=reachability.silent(at=at)).select_related("silence"))


def pending_revocations() -> tuple[int, datetime | None]:
    """How many tokens wait to be revoked, and since when the oldest does."""
    found = PendingRevocation.objects.aggregate(times=Count("pk"), oldest_at=Min("created_at"))
    return found["times"], found["oldest_at"]


def late_revocations(*, since: datetime) -> Mapping[UUID, tuple[int, datetime]]:
    """By registration, how many tokens its server has not confirmed as revoked since `since` or longer, and the time of
    the oldest."""
    late = PendingRevocation.objects.filter(created_at__lte=since).order_by().values("registration")
    found = late.annotate(times=Count("pk"), oldest_at=Min("created_at"))
    return {row["registration"]: (row["times"], row["oldest_at"]) for row in found}


def _with_links(endpoints: QuerySet[Endpoint]) -> Sequence[tuple[Endpoint, int]]:
    living = Connection.objects.living()
    chosen = endpoints.filter(Exists(living.filter(endpoint=OuterRef("pk")))).order_by("pk")[:_MOST_ENDPOINTS]
    found = {endpoint.pk: endpoint for endpoint in chosen}
    counts = living.filter(endpoint__in=list(found)).order_by().values_list("endpoint_id").annotate(times=Count("pk"))
    return [(found[pk], times) for pk, times in counts]
