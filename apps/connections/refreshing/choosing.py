"""Which links are due for refresh, for workers to take as many as they have hands for.

Registration by registration, so that one with half a million links due costs no more to pass by than one with none:
those that staff switched off, that are refused as a whole, that say what this release cannot read, or whose budget is
used up are left out before any of their links is looked at. Of the rest, links with less than half a day left are taken
strictly by deadline, then those that have been due for longest: three indexes answer that, and no more rows are looked
at than are taken; what nobody may ask for is met once (`parking`). On interface A a deadline is at least a day off when
a link falls due (`timing`): order begins to matter after half a day's outage.

Before all of them come those whose answer got lost a moment ago, where the server may have used the token up: it can be
repeated for a minute or two at most, and behind a backlog of hours the link would be lost. A link whose worker died is
one of them when its lease is over: `claiming` sees to that.
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

_SPARE = 64  # candidates beyond the hands there are: other workers choose the same ones at the same moment
_SWEEP, _ROUNDS = 1000, 10  # where links are met that nobody may ask for: how many at once, and how often in one look
_TRIES_PER_SECOND = 1 / 60  # at a registration in trouble: one link finds out whether it is over

# A registration in trouble is tried when somebody may find out whether it is over; before that, by those links alone
# that have no later (`claiming.is_kept_away`).
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
# What is asked of the row itself, first without and then with holding it. As `claiming` sees it.
_MAY_ROTATE = "COALESCE(stored.is_rotated, registration.rotates_refresh_tokens) IS NOT FALSE"
_IS_DUE = f"""
stored.refresh_due_at <= %(at)s
AND (stored.lease_until IS NULL OR stored.lease_until <= now())
AND (stored.not_before_at IS NULL OR stored.not_before_at <= %(at)s
    OR (stored.attempt_id IS NOT NULL AND {_MAY_ROTATE}))
"""
# Of one of those, without a look at its connection: rows are found in an index's order, and no more than asked for.
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
# Where there are urgent links enough, nobody looks for others: they would be found behind all the urgent ones. Of a
# registration whose budget is used up one is looked for, to know that something waits.
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
    """What one look brought. `waits`: something else is due, that nobody may have yet or another worker is taking."""

    claims: Sequence[Claim]
    waits: bool


@dataclass(frozen=True)
class _Candidate:
    """One link that is due, as it was seen in passing."""

    connection_id: UUID
    has_room: bool  # in the budget of its registration
    is_workable: bool  # or else to be parked


@dataclass(frozen=True)
class _Held:
    """One link that is due, its row ours until the transaction ends."""

    connection_id: UUID
    registration_id: UUID
    dialect: str
    is_in_trouble: bool
    is_over: bool  # the deadline passed: nobody is asked, and the link ends in words

    @property
    def per_second(self) -> float:
        """How often its server is asked when nothing is wrong."""
        return _TRIES_PER_SECOND if self.is_in_trouble else reaching.refreshes_per_second(self.dialect)


def take(hands: int, *, at: datetime, budgets_at: datetime | None = None) -> Taken:
    """Claim at most so many of the links that are due, the most urgent first, and their calls from the budgets.

    Where nothing is due, this is one question. Call it outside transactions: claims are committed when it returns.
    `budgets_at`: where time is simulated, for budgets, too; they are on the database's clock else.
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
    """The most urgent links that are due and that somebody may ask for; what else is met is parked. False where there
    is so much of it that the rest is left to the next look."""
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
    """The most urgent links that are due, unheld; and one of each registration whose budget is used up."""
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
    """As many of them as nobody else is taking, in their order."""
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
    """Those for which a call could be had, in their order, and those that need none."""
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
