"""A refusal that may be a mistake of the server: when to ask again, and when to believe it for good.

`invalid_grant` says that a permission is over. But a server also says so if it lost its token store for an hour, or if
a replica lags behind the one that issued our token. So a refused link counts as ended at once, and its page says so,
but we ask a few more times: as soon as its token is accepted, the link is back. If the same server has meanwhile
accepted older tokens of others, as it does when only this patient ended the permission, we ask one more time; if it has
accepted none, for half a day. This postpones no time limit: if one passes first, the link is over.
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

MANY = 3  # links of one registration, doubted at once: more likely the server's fault than so many patients' wish
_AT_ONCE = 2000

# Goes through registrations that have proved something, however many links each has, and skips links that are due
# already or may not be refreshed yet. Unordered: rows that others have locked are skipped. Materialized as in
# `early_refreshes`.
_HASTEN = """
WITH doubted AS MATERIALIZED (
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
)
UPDATE connections_storedtokenset AS hastened SET refresh_due_at = GREATEST(%(at)s, hastened.not_before_at)
FROM doubted
WHERE hastened.connection_id = doubted.connection_id
"""


def again_at(claim: Claim, reason: Reason, *, at: datetime) -> datetime | None:
    """When the server is asked again after this refusal; None if the refusal is believed for good."""
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
    """The time of this success if it proves that the server accepts tokens that it issued before any that are doubted;
    otherwise None. A recent sign-in's tokens were issued later, so they prove nothing about older ones."""
    issued_at = claim.stored.refresh_issued_at
    is_old = issued_at is not None and issued_at <= at - protocol.AGAIN_AFTER_REFUSAL[-1]
    was_refused = claim.stored.refused_at is not None and not claim.stored.is_data_refused
    return at if is_old or was_refused else None


def hasten(*, at: datetime) -> int:
    """Make doubted links due if their server has accepted such tokens since; returns how many. Each is tried once more,
    and then is back or believed. Works in batches, each its own transaction."""
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
    """Token sets that were refused and are asked for again (`StoredTokenSet.is_doubted`)."""
    return StoredTokenSet.objects.filter(refused_at__isnull=False, refresh_due_at__isnull=False)


def suspicious() -> QuerySet[StoredTokenSet]:
    """Those of them that suggest a fault of the server. Refused data (`reopening`) suggests none if anybody's record
    was copied completely from that endpoint since. Refused tokens always count while they are doubted."""
    is_closed = Q(data_refused_at__isnull=False, refused_at=F("data_refused_at"))
    closed = doubted().filter(is_closed).order_by().values_list("connection__endpoint")
    since = dict(closed.annotate(since=Min("refused_at")))
    well = [one for one, moment in since.items() if _checked(one, moment)]
    return doubted().exclude(is_closed, connection__endpoint__in=well) if well else doubted()


def _checked(endpoint_id: UUID, since: datetime) -> bool:
    return Connection.objects.filter(endpoint=endpoint_id, last_checked_at__gt=since).exists()


def of_many() -> QuerySet[StoredTokenSet]:
    """Those whose server refused several. One query finds these servers."""
    counted = suspicious().order_by().values("registration_id").annotate(times=Count("pk"))
    refusing = list(counted.filter(times__gte=MANY).values_list("registration_id", flat=True))
    return suspicious().filter(registration__in=refusing)
