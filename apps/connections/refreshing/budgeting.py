"""How many calls a second beat makes for one client registration, all workers together: a budget, in a row of Postgres.

Calls lie evenly on a line of time (the generic cell rate algorithm): whoever wants some takes the next free places, by
one statement for a whole batch, and gets no more than lie before now and a little. The usual rate is the dialect's.

Two things lower it. A server that says so (429, or Retry-After) is left alone for as long as it asks, a minute at most,
and halves the rate, which then grows again by a tenth of the usual each minute. One that answers nothing we can use,
several times in a row, halves it each further time, down to a call a minute, and has all of it back with its first
answer: an outage of a day costs some thousand calls, and no time afterwards. How long the link that was asked for waits
is another matter (`protocol.wait`).

A refresh that somebody waits for (`usable_token`) takes nothing from it; what it hears of the server counts.

The line is on the database's clock, which is one for all: on their own, a worker a minute ahead would leave the others
nothing. `at` is for those who simulate time.
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

AHEAD = timedelta(seconds=1)  # how much of the line may be taken at once
LONGEST_PAUSE = timedelta(minutes=1)  # a link that was refused waits as long as the server said; the others find out
_SETTLING = timedelta(seconds=10)  # calls that were under way when we slowed down do not slow us down again
_RECOVERY = timedelta(minutes=10)  # from nothing to the usual rate
_LOWEST_PER_SECOND = 1 / 60
_PATIENCE = 4  # calls in a row without an answer that may be one patient's trouble

_NOW = "COALESCE(%(at)s::timestamptz, statement_timestamp())"
# How fast a row's server is asked at a moment. Needs `pace`, and `usual` beside it.
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
    """What one registration's links want: so many calls, at a server that is usually asked so often a second."""

    calls: int
    usual_per_second: float


def take(wishes: Mapping[UUID, Wish], *, at: datetime | None = None) -> Mapping[UUID, int]:
    """Take calls from the budgets: how many each registration may make at once; those that may make none are left out.

    In the caller's transaction: others who want some of the same wait for its end, so that it is short.
    """
    given = _take(wishes, at=at)
    missing = wishes.keys() - given.keys()
    if missing and _begin(missing, at=at):
        given |= _take({name: wishes[name] for name in missing}, at=at)
    return given


def failed(linked: Connection, error: WireError, *, at: datetime | None = None) -> None:
    """Asking for this link, whoever asked, brought this instead of tokens. What is about one patient, one organization
    or our registration says nothing of the pace."""
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
    """Their servers answered something: silence is over. Costs one look where there was none."""
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
    """Give rows to those that have none. False where each has one."""
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, {"ids": list(registration_ids), "at": at})
        return bool(cursor.rowcount > 0)
