"""A refusal that may be a mistake of theirs: when it is asked again, and when it is believed for good.

`invalid_grant` says that a permission is over. It is also what a server says that lost its store of tokens for an hour,
or whose copy lags behind the one that gave ours. So a link that was refused counts as ended at once, its page says so,
and we ask a few times more by ourselves: as soon as its tokens are taken it is back. One more time where the same
server has taken tokens since that it gave before, as it does whenever this patient alone ended the permission; for half
a day where it has taken none. No time limit is outlasted by that: where one passes first, the link is over.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection as database
from django.db import transaction
from django.db.models import Count, F, Min, Q, QuerySet

from apps.connections import tallying
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import protocol
from apps.connections.refreshing.claiming import Claim

MANY = 3  # links of one registration, refused and doubted at once: it is the server, and not so many patients
_AT_ONCE = 2000

# From registration to registration that has proved something, however many links each has; and past those that are due
# already, or may not be asked for yet. Unordered, as others may hold some of them: those are at it already.
_HASTEN = """
UPDATE connections_storedtokenset AS hastened SET refresh_due_at = GREATEST(%(at)s, hastened.not_before_at)
FROM (
    SELECT stored.connection_id
    FROM (
        SELECT registration_id, LEAST(max(last_at), %(refused_before)s) AS refused_before
        FROM connections_refreshtally WHERE outcome = 'succeeded' AND last_at IS NOT NULL GROUP BY registration_id
    ) AS proven
    JOIN connections_storedtokenset AS stored
        ON stored.registration_id = proven.registration_id AND stored.refused_at < proven.refused_before
            AND stored.refused_at IS DISTINCT FROM stored.data_refused_at
    WHERE stored.refresh_due_at > GREATEST(%(at)s, stored.not_before_at)
        AND (stored.lease_until IS NULL OR stored.lease_until <= now())
    LIMIT %(number)s
    FOR UPDATE OF stored SKIP LOCKED
) AS doubted
WHERE hastened.connection_id = doubted.connection_id
"""


def again_at(claim: Claim, reason: Reason, *, at: datetime) -> datetime | None:
    """When its server is asked again after this refusal; None where it is believed for good."""
    refused_at, deadline_at = claim.stored.refused_at, claim.stored.refresh_deadline_at
    if reason is not Reason.GRANT_ENDED:
        return None
    refused_for = at - refused_at if refused_at else timedelta()
    is_later = refused_for >= protocol.AGAIN_AFTER_REFUSAL[0]  # sooner, it may still be the same fault
    if refused_at and is_later and tallying.succeeded_since(claim.connection.registration_id, refused_at):
        return None
    wait = protocol.again_after_refusal(refused_for=refused_for)
    if wait is None:
        return None
    again_at = at + max(wait, claim.policy.floor)
    return again_at if deadline_at is None or again_at < deadline_at else None


def proven_at(claim: Claim, *, at: datetime) -> datetime | None:
    """When its server proved by this success, asked for then, that it takes tokens it gave before whatever is doubted;
    None where it did not. Whoever signed in since has tokens that it gave later: those prove nothing of older ones."""
    issued_at = claim.stored.refresh_issued_at
    is_old = issued_at is not None and issued_at <= at - protocol.AGAIN_AFTER_REFUSAL[-1]
    was_refused = claim.stored.refused_at is not None and not claim.stored.is_data_refused
    return at if is_old or was_refused else None


def hasten(*, at: datetime) -> int:
    """Let those be due that are doubted although their server has taken such tokens since; returns how many. Each is
    asked for once more, and is back or believed. In steps, each a transaction of its own."""
    values: dict[str, Any] = {"at": at, "refused_before": at - protocol.AGAIN_AFTER_REFUSAL[0], "number": _AT_ONCE}
    number = 0
    while hastened := _hasten(values):
        number += hastened
    return number


def _hasten(values: dict[str, Any]) -> int:
    with transaction.atomic(), database.cursor() as cursor:
        cursor.execute("SET LOCAL jit = off")  # as in `choosing`
        cursor.execute(_HASTEN, values)
        return int(cursor.rowcount)


def doubted() -> QuerySet[StoredTokenSet]:
    """Those that were refused and are asked for again (`StoredTokenSet.is_doubted`)."""
    return StoredTokenSet.objects.filter(refused_at__isnull=False, refresh_due_at__isnull=False)


def suspicious() -> QuerySet[StoredTokenSet]:
    """Those of them that tell of a fault of their server: of data that was refused (`reopening`), where nobody's record
    was checked to its end at that endpoint since. Tokens that were refused are doubted no longer than that anyway."""
    is_closed = Q(data_refused_at__isnull=False, refused_at=F("data_refused_at"))
    closed = doubted().filter(is_closed).order_by().values_list("connection__endpoint")
    since = dict(closed.annotate(since=Min("refused_at")))
    well = [one for one, moment in since.items() if _checked(one, moment)]
    return doubted().exclude(is_closed, connection__endpoint__in=well) if well else doubted()


def _checked(endpoint_id: UUID, since: datetime) -> bool:
    return Connection.objects.filter(endpoint=endpoint_id, last_checked_at__gt=since).exists()


def of_many() -> QuerySet[StoredTokenSet]:
    """Those of servers that refused several. One query tells which servers these are."""
    counted = suspicious().order_by().values("registration_id").annotate(times=Count("pk"))
    refusing = list(counted.filter(times__gte=MANY).values_list("registration_id", flat=True))
    return suspicious().filter(registration__in=refusing)
