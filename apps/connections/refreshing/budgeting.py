"""How many calls per second beat makes for one client registration, all workers together: a budget, stored in a row.

This is the generic cell rate algorithm: calls are spaced evenly along a time line. A worker that wants some takes the
next free slots, by one statement for a whole batch, and gets only slots before now plus a small margin. The usual rate
is the dialect's.

Two things lower it. If a server asks us to slow down (429, or Retry-After), it is left alone for as long as it asks, a
minute at most, and the rate is halved; then it grows by a tenth of the usual rate each minute. If a server gives no
usable response several times in a row, each further failure halves the rate, down to a call a minute; its first
response restores the full rate. So an outage of a day costs some thousand calls, and no time afterwards. How long the
link itself waits is decided elsewhere (`protocol.wait`).

A refresh that somebody waits for (`usable_token`) takes nothing from the budget, but what it learns about the server
counts.

The time line uses the database's clock: if each worker used its own, one that is a minute ahead would leave the others
nothing. `at` is for simulations.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from apps.connections.models import Connection, RefreshPace
from apps.directory import reaching
from apps.wire.errors import Actor, ClientRejected, Throttled, Unavailable, WireError

AHEAD = timedelta(seconds=1)  # how far ahead slots may be taken
LONGEST_PAUSE = timedelta(minutes=1)  # the refused link waits as long as the server said; other links find out earlier
_SETTLING = timedelta(seconds=10)  # calls in progress when we slowed down do not slow us down again
_RECOVERY = timedelta(minutes=10)  # from zero to the usual rate
_LOWEST_PER_SECOND = 1 / 60
_PATIENCE = 4  # calls in a row without a response that may still be one patient's problem

_NOW = "COALESCE(%(at)s::timestamptz, statement_timestamp())"
# The current rate of a row's server. Needs `pace`, and `usual` beside it.
_RATE = f"""
LEAST(usual, GREATEST(%(lowest)s, LEAST(usual, COALESCE(
    pace.slowed_per_second + usual * EXTRACT(EPOCH FROM {_NOW} - pace.slowed_at)::float8 / %(recovery_seconds)s, usual
)) / 2 ^ LEAST(GREATEST(pace.silences - %(patience)s, 0), 16)))
"""
_TAKE = f"""
WITH wanted AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(calls)s::int[], %(usual)s::float8[]) AS wanted (id, calls, usual)
), standing AS (
    SELECT wanted.id, wanted.calls, GREATEST(pace.next_at, {_NOW}) AS next_at, {_RATE} AS per_second
    FROM connections_refreshpace AS pace JOIN wanted ON wanted.id = pace.registration_id
    ORDER BY wanted.id
    FOR UPDATE OF pace
), given AS (
    SELECT id, next_at, per_second, GREATEST(LEAST(
        calls, ceil(EXTRACT(EPOCH FROM {_NOW} + %(ahead)s - next_at)::float8 * per_second)::int
    ), 0) AS calls
    FROM standing
)
UPDATE connections_refreshpace AS pace
SET next_at = given.next_at + given.calls / given.per_second * interval '1 second'
FROM given WHERE pace.registration_id = given.id AND given.calls > 0
RETURNING pace.registration_id, given.calls
"""  # noqa: S608 # nosec B608 - of constants alone
_BEGIN = f"""
INSERT INTO connections_refreshpace (registration_id, next_at)
SELECT id, {_NOW} FROM unnest(%(ids)s::uuid[]) AS id ORDER BY id
ON CONFLICT (registration_id) DO NOTHING
"""  # noqa: S608 # nosec B608 - of constants alone
_SLOW_DOWN = f"""
UPDATE connections_refreshpace AS pace
SET next_at = GREATEST(pace.next_at, {_NOW} + %(pause)s),
    slowed_per_second = CASE WHEN is_news THEN {_RATE} / 2 ELSE pace.slowed_per_second END,
    slowed_at = CASE WHEN is_news THEN {_NOW} ELSE pace.slowed_at END
FROM (
    SELECT registration_id, %(usual)s::float8 AS usual,
        slowed_at IS NULL OR slowed_at <= {_NOW} - %(settling)s AS is_news
    FROM connections_refreshpace WHERE registration_id = %(id)s
    FOR UPDATE
) AS standing
WHERE pace.registration_id = standing.registration_id
"""  # noqa: S608 # nosec B608 - of constants alone
FIXED: dict[str, Any] = {
    "lowest": _LOWEST_PER_SECOND,
    "recovery_seconds": _RECOVERY.total_seconds(),
    "patience": _PATIENCE,
}


@dataclass(frozen=True)
class Wish:
    """What one registration's links want: a number of calls, and the usual rate of their server."""

    calls: int
    usual_per_second: float


def take(wishes: Mapping[UUID, Wish], *, at: datetime | None = None) -> Mapping[UUID, int]:
    """Take calls from the budgets: how many each registration may make now. Registrations that may make none are left
    out.

    Runs in the caller's transaction. Others who want calls of the same registration wait for its end, so keep it short.
    """
    given = _take(wishes, at=at)
    missing = wishes.keys() - given.keys()
    if missing and _begin(missing, at=at):
        given |= _take({name: wishes[name] for name in missing}, at=at)
    return given


def failed(linked: Connection, error: WireError, *, at: datetime | None = None) -> None:
    """Record that a refresh of this link, whoever requested it, failed. Errors about one patient, one organization or
    our registration say nothing about the pace."""
    if error.actor is Actor.PATIENT or isinstance(error, ClientRejected):
        return
    registration_id = linked.registration_id
    _begin([registration_id], at=at)
    pause_seconds = error.retry_after_seconds if isinstance(error, Unavailable) else None
    if pause_seconds is None and not isinstance(error, Throttled):
        RefreshPace.objects.filter(pk=registration_id).update(silences=F("silences") + 1)
        return
    usual = reaching.refreshes_per_second(linked.endpoint.dialect)
    pause = timedelta(seconds=min(max(pause_seconds or 0, 1), LONGEST_PAUSE.total_seconds()))
    slowed: dict[str, Any] = {"id": registration_id, "at": at, "usual": usual, "pause": pause, "settling": _SETTLING}
    with connection.cursor() as cursor:
        cursor.execute(_SLOW_DOWN, slowed | FIXED)


def answered(registration_ids: Collection[UUID]) -> None:
    """Their servers gave a usable response: silence is over. If there was none, this costs one look-up."""
    RefreshPace.objects.filter(registration__in=registration_ids, silences__gt=0).update(silences=0)


def _take(wishes: Mapping[UUID, Wish], *, at: datetime | None) -> dict[UUID, int]:
    values: dict[str, Any] = {
        "ids": list(wishes),
        "calls": [wish.calls for wish in wishes.values()],
        "usual": [wish.usual_per_second for wish in wishes.values()],
        "at": at,
        "ahead": AHEAD,
    }
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, values | FIXED)
        return dict(cursor.fetchall())


def _begin(registration_ids: Collection[UUID], *, at: datetime | None) -> bool:
    """Create rows for registrations that have none. False if each has one."""
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, {"ids": list(registration_ids), "at": at})
        return bool(cursor.rowcount > 0)
