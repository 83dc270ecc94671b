"""Which links are due for refresh; workers take as many as they have free hands.

Links are found registration by registration, so that skipping one with half a million due links costs no more than
skipping one with none. Registrations that staff switched off, that are refused as a whole, that have overrides which
this release cannot read, or whose budget is used up are left out before any of their links is read. Of the others,
links with less than half a day left are taken strictly by deadline, then those that have been due longest. Three
indexes answer that, and no more rows are read than are taken. A due link that may not be refreshed is met only once
(`parking`). On interface A a deadline is at least a day away when a link falls due (`timing`), so order matters only
after an outage of half a day.

Before all of them come links whose response was lost a moment ago, if the server may have invalidated the token. The
request can be repeated for a minute or two at most; behind a backlog of hours the link would be lost. A link whose
worker died is one of them once its lease has expired: `claiming` sees to that.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from apps.connections.refreshing import budgeting, claiming, parking, protocol
from apps.connections.refreshing.budgeting import Wish
from apps.connections.refreshing.claiming import Claim
from apps.directory import reaching, registering

URGENT = timedelta(hours=12)

_SPARE = 64  # candidates beyond the free hands: other workers choose the same ones at the same moment
_SWEEP, _ROUNDS = 1000, 10  # when links that may not be refreshed are met: how many at once, and how often per look
_TRIES_PER_SECOND = 1 / 60  # for a registration in trouble: one link tests whether that is over

# A registration in trouble is tried when it is time to test whether that is over. Before that, only links that cannot
# wait so long are tried (`claiming.is_kept_away`).
_OPENED = f"""
SELECT registration.id, registration.rotates_refresh_tokens,
    COALESCE(pace.next_at < COALESCE(%(budgets_at)s::timestamptz, now()) + %(ahead)s, TRUE) AS has_room,
    CASE WHEN registration.trouble = '' OR trouble.over_at <= %(at)s THEN 'infinity'
        ELSE COALESCE(trouble.over_at, '-infinity') END AS before
FROM directory_clientregistration AS registration
CROSS JOIN LATERAL (
    SELECT COALESCE(registration.trouble_seen_at, registration.trouble_at) + %(try_again_after)s AS over_at
) AS trouble
CROSS JOIN LATERAL (
    SELECT FROM connections_storedtokenset AS stored
    WHERE stored.registration_id = registration.id AND stored.refresh_due_at <= %(at)s LIMIT 1
) AS something_due
LEFT JOIN connections_refreshpace AS pace ON pace.registration_id = registration.id
WHERE registration.is_switched_on AND {parking.IS_READABLE}
"""  # noqa: S608 # nosec B608 - of constants alone
# Conditions on the row itself, checked first without and then with a lock. The same as in `claiming`.
_MAY_ROTATE = "COALESCE(stored.is_rotated, registration.rotates_refresh_tokens) IS NOT FALSE"
_IS_DUE = f"""
stored.refresh_due_at <= %(at)s
AND (stored.lease_until IS NULL OR stored.lease_until <= now())
AND (stored.not_before_at IS NULL OR stored.not_before_at <= %(at)s
    OR (stored.attempt_id IS NOT NULL AND {_MAY_ROTATE}))
"""
# Links of one registration, without reading connections: rows come in an index's order, no more than are needed.
_OF_ONE = f"""
SELECT stored.connection_id, stored.refresh_deadline_at, stored.refresh_due_at
FROM connections_storedtokenset AS stored
WHERE stored.registration_id = registration.id AND {_IS_DUE}
"""  # noqa: S608 # nosec B608 - of constants alone
_IS_MISSED = f"(stored.attempt_started_at > now() - %(may_still_answer)s AND {_MAY_ROTATE})"
_MISSED = f"{_OF_ONE} AND registration.before = 'infinity' AND {_IS_MISSED}"
_URGENT = f"""
{_OF_ONE} AND {_IS_MISSED} IS NOT TRUE
AND stored.refresh_deadline_at < LEAST(%(urgent_before)s, registration.before)
"""
_OTHER = f"""
{_OF_ONE} AND {_IS_MISSED} IS NOT TRUE AND registration.before = 'infinity'
AND (stored.refresh_deadline_at IS NULL OR stored.refresh_deadline_at >= %(urgent_before)s)
"""
# If there are enough urgent links, no others are looked for: the index has them behind all urgent ones. For a
# registration whose budget is used up, one link is looked for, to know whether something waits.
_CANDIDATES = f"""
WITH opened AS MATERIALIZED ({_OPENED}), found AS MATERIALIZED (
    (SELECT TRUE AS has_room, found.* FROM opened AS registration CROSS JOIN LATERAL (
        WITH urgent AS MATERIALIZED ({_URGENT} ORDER BY stored.refresh_deadline_at LIMIT %(number)s)
        SELECT TRUE AS is_missed, * FROM ({_MISSED} ORDER BY stored.attempt_started_at LIMIT %(number)s) AS missed
        UNION ALL SELECT FALSE, * FROM urgent
        UNION ALL SELECT FALSE, * FROM ({_OTHER} ORDER BY stored.refresh_due_at LIMIT %(number)s) AS other
        WHERE (SELECT count(*) FROM urgent) < %(number)s
    ) AS found
    WHERE registration.has_room
    ORDER BY found.is_missed DESC, found.refresh_deadline_at, found.refresh_due_at, found.connection_id
    LIMIT %(number)s)
    UNION ALL
    (SELECT FALSE, FALSE, found.* FROM opened AS registration CROSS JOIN LATERAL (
        {_OF_ONE} AND registration.before = 'infinity' ORDER BY stored.refresh_due_at LIMIT 1
    ) AS found
    WHERE NOT registration.has_room LIMIT %(number)s)
)
SELECT found.connection_id, found.has_room, {parking.IS_WORKABLE}
FROM found
JOIN connections_connection AS linked ON linked.id = found.connection_id
JOIN connections_storedtokenset AS stored ON stored.connection_id = found.connection_id
{parking.ITS_ENDPOINT}
ORDER BY found.is_missed DESC, found.refresh_deadline_at, found.refresh_due_at, found.connection_id
"""  # noqa: S608 # nosec B608 - of constants alone
_HOLD = f"""
SELECT stored.connection_id, stored.registration_id, endpoint.dialect, registration.trouble <> '',
    COALESCE(stored.refresh_deadline_at <= %(at)s, FALSE)
FROM connections_storedtokenset AS stored
JOIN connections_connection AS linked ON linked.id = stored.connection_id
{parking.ITS_ENDPOINT}
JOIN directory_clientregistration AS registration ON registration.id = stored.registration_id
WHERE stored.connection_id = ANY(%(candidates)s::uuid[]) AND {_IS_DUE} AND {parking.IS_WORKABLE}
ORDER BY {_IS_MISSED} IS TRUE DESC, stored.refresh_deadline_at, stored.refresh_due_at, stored.connection_id
LIMIT %(hands)s
FOR UPDATE OF stored SKIP LOCKED
"""  # noqa: S608 # nosec B608 - of constants alone


@dataclass(frozen=True)
class Taken:
    """The result of one look. `waits`: something else is due, which may not be taken yet or which another worker is
    taking."""

    claims: Sequence[Claim]
    waits: bool


@dataclass(frozen=True)
class _Candidate:
    """One due link, as read without a lock."""

    connection_id: UUID
    has_room: bool  # in the budget of its registration
    is_workable: bool  # or else to be parked


@dataclass(frozen=True)
class _Held:
    """One due link whose row is locked until the transaction ends."""

    connection_id: UUID
    registration_id: UUID
    dialect: str
    is_in_trouble: bool
    is_over: bool  # the deadline has passed: the provider is not asked, and the link is marked as ended

    @property
    def per_second(self) -> float:
        """The usual rate of its server; for a registration in trouble, the rate of tests."""
        return _TRIES_PER_SECOND if self.is_in_trouble else reaching.refreshes_per_second(self.dialect)


def take(hands: int, *, at: datetime, budgets_at: datetime | None = None) -> Taken:
    """Claim at most `hands` of the due links, most urgent first, with calls from their budgets.

    If nothing is due, this is one query. Call it outside transactions: claims are committed when it returns.
    `budgets_at` is for simulations: the time for budgets, which otherwise is the database's.
    """
    found, is_all = _workable(hands, at=at, budgets_at=budgets_at)
    candidates = [one.connection_id for one in found if one.has_room]
    if not candidates:
        return Taken([], waits=bool(found) or not is_all)
    with transaction.atomic():
        chosen = _within_budgets(_hold(candidates, hands, at=at), at=budgets_at)
        claims = claiming.claim(chosen, at=at, is_refused_too=True)
    return Taken(claims, waits=len(found) > len(claims) or not is_all)


def _workable(hands: int, *, at: datetime, budgets_at: datetime | None) -> tuple[list[_Candidate], bool]:
    """The most urgent due links that may be refreshed; others that are met are parked. Also whether these are all:
    False if there were so many to park that the rest is left to the next look."""
    number, found = hands + _SPARE, list[_Candidate]()
    for _round in range(_ROUNDS):
        met = _candidates(number, at=at, budgets_at=budgets_at)
        found = [one for one in met if one.is_workable]
        if len(found) == len(met):
            return found, True
        parking.park([one.connection_id for one in met if not one.is_workable], at=at)
        if sum(one.has_room for one in found) >= hands:
            break
        number = max(number, _SWEEP)
    return found, False


def _candidates(number: int, *, at: datetime, budgets_at: datetime | None = None) -> list[_Candidate]:
    """The most urgent due links, without locks, and one of each registration whose budget is used up."""
    values: dict[str, Any] = {
        "at": at,
        "budgets_at": budgets_at,
        "ahead": budgeting.AHEAD,
        "try_again_after": registering.TRY_AGAIN_AFTER,
        "urgent_before": at + URGENT,
        "may_still_answer": protocol.MAY_STILL_ANSWER,
        "number": number,
        **parking.KNOWN,
        **parking.READABLE,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = off")  # compiling costs a hundred times what asking the indexes does
        cursor.execute(_CANDIDATES, values)
        return [_Candidate(*row) for row in cursor.fetchall()]


def _hold(candidates: Sequence[UUID], hands: int, *, at: datetime) -> list[_Held]:
    """Lock as many of them as no other worker is taking, in their order."""
    values: dict[str, Any] = {
        "candidates": list(candidates),
        "hands": hands,
        "at": at,
        "may_still_answer": protocol.MAY_STILL_ANSWER,
        **parking.KNOWN,
    }
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, values)
        return [_Held(*row) for row in cursor.fetchall()]


def _within_budgets(held: Iterable[_Held], *, at: datetime | None) -> list[UUID]:
    """Those for which the budget allowed a call, and those that need none, in their order."""
    held = list(held)
    calls = Counter(link.registration_id for link in held if not link.is_over)
    rates = {link.registration_id: link.per_second for link in held}
    left = Counter(budgeting.take({name: Wish(calls[name], rates[name]) for name in calls}, at=at))
    chosen = []
    for link in held:
        left[link.registration_id] -= not link.is_over
        if link.is_over or left[link.registration_id] >= 0:
            chosen.append(link.connection_id)
    return chosen
