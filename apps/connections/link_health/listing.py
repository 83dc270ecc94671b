"""List links by criteria of operators: never whose record it is, nor anything in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.connections.models import Connection, StoredTokenSet

_AT_ONCE = 500
# Tokens and other sealed columns are not read.
_COLUMNS = (
    "user_id", "provider__name", "registration__label", "status", "reason", "reason_at", "lapses_at",
    "last_checked_at", "stored_token_set__refresh_deadline_at", "stored_token_set__refresh_due_at",
    "stored_token_set__not_before_at", "stored_token_set__tries",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Criteria; None matches everything. `after`: only links with greater ids."""

    registration_id: UUID | None = None
    provider_id: UUID | None = None
    user_id: UUID | None = None
    status: str | None = None
    reason: str | None = None
    lapsing_within_hours: int | None = None
    after: UUID | None = None


@dataclass(frozen=True)
class Listed:
    """One link. `ends_at` is when its permission ends unless it is refreshed, `due_at` when we refresh it; None if
    there is no such time."""

    id: UUID
    user_id: UUID
    provider_id: UUID
    provider: str
    registration_id: UUID
    registration: str
    status: str
    reason: str
    reason_at: datetime | None
    ends_at: datetime | None
    due_at: datetime | None
    waits_until: datetime | None
    tries: int
    last_checked_at: datetime | None


def matching(wanted: Wanted, *, at: datetime) -> QuerySet[Connection]:
    """The rows, ordered by id, so that a listing can continue where another one ended."""
    columns = {
        "registration_id": wanted.registration_id,
        "provider_id": wanted.provider_id,
        "user_id": wanted.user_id,
        "status": wanted.status,
        "reason": wanted.reason,
        "pk__gt": wanted.after,
    }
    rows = Connection.objects.filter(**{name: value for name, value in columns.items() if value is not None})
    if wanted.lapsing_within_hours is not None:
        rows = rows.living().filter(_lapsing(at, at + timedelta(hours=wanted.lapsing_within_hours)))
    return rows.select_related("provider", "registration", "stored_token_set").only(*_COLUMNS).order_by("pk")


def listed(wanted: Wanted, *, at: datetime, most: int | None) -> Iterator[Listed]:
    """Streamed, so that memory does not grow with their number. At most `most`, None for all."""
    return (_listed(row, at=at) for row in matching(wanted, at=at)[:most].iterator(_AT_ONCE))


def _listed(row: Connection, *, at: datetime) -> Listed:
    stored: StoredTokenSet | None = getattr(row, "stored_token_set", None)
    deadline_at = stored.refresh_deadline_at if stored else None
    is_told_to_wait = stored is not None and bool(stored.tries and stored.not_before_at and stored.not_before_at > at)
    return Listed(
        id=row.pk,
        user_id=row.user_id,
        provider_id=row.provider_id,
        provider=row.provider.name,
        registration_id=row.registration_id,
        registration=row.registration.label,
        status=row.status,
        reason=row.reason,
        reason_at=row.reason_at,
        ends_at=min((moment for moment in (row.lapses_at, deadline_at) if moment is not None), default=None),
        due_at=stored.refresh_due_at if stored else None,
        waits_until=stored.not_before_at if stored is not None and is_told_to_wait else None,
        tries=stored.tries if stored else 0,
        last_checked_at=row.last_checked_at,
    )


def _lapsing(since: datetime, until: datetime) -> Q:
    """Links with a known end, and links that we have to refresh before. This filters rows in order instead of sorting
    ids, so that a page is filled soon. The fewer match, the more rows are read; if none does, all, once."""
    ending = Q(status=Connection.Status.ACTIVE, lapses_at__gt=since, lapses_at__lte=until)
    return ending | Q(stored_token_set__refresh_deadline_at__gt=since, stored_token_set__refresh_deadline_at__lte=until)
