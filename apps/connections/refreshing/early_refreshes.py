"""Refresh earlier than scheduled because an operator asks for it: one link now, or many as soon as possible.

This includes links that were refused and are doubted, because operators hear first when a server works again. Floors,
waits, switches and trouble apply to operators too. A single link takes nothing from its registration's budget, as when
somebody waits for a page. Many links are only made due; workers then take them like all others, by deadline and within
budgets.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import connection as database
from django.db.models import Q, Value
from django.db.models.functions import Least

from apps.connections import clocks
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import claiming, fault_isolation, parking
from apps.connections.refreshing.results import Outcome
from apps.directory import reaching, registering

_AT_ONCE = 2000

_WORKABLE = f"""
FROM connections_storedtokenset AS stored
JOIN connections_connection AS linked ON linked.id = stored.connection_id AND {parking.IS_REFRESHED}
JOIN directory_endpoint AS endpoint ON endpoint.id = linked.endpoint_id AND endpoint.is_switched_on
JOIN directory_clientregistration AS registration ON registration.id = stored.registration_id
    AND registration.is_switched_on AND registration.trouble = '' AND {parking.IS_READABLE}
WHERE stored.sealed_refresh_token IS NOT NULL
    AND (stored.refresh_due_at > %(at)s OR (stored.refresh_due_at IS NULL AND linked.status = 'active'))
    AND (%(registration)s::uuid IS NULL OR stored.registration_id = %(registration)s)
"""
_COUNT = f"SELECT stored.registration_id, count(*) {_WORKABLE} GROUP BY 1"
# Links that a worker has claimed are skipped. Materialized: Postgres may run a subquery once for each row that it could
# update, and one that locks returns others each time.
_BRING_FORWARD = f"""
WITH wanted AS MATERIALIZED (
    SELECT stored.connection_id {_WORKABLE}
        AND (stored.lease_until IS NULL OR stored.lease_until <= now()) AND stored.connection_id > %(after)s
    ORDER BY stored.connection_id LIMIT %(number)s
    FOR UPDATE OF stored SKIP LOCKED
)
UPDATE connections_storedtokenset AS hastened SET refresh_due_at = %(at)s
FROM wanted
WHERE hastened.connection_id = wanted.connection_id
RETURNING hastened.connection_id, hastened.registration_id
"""  # noqa: S608 # nosec B608 - of constants alone


class Hindrance(StrEnum):
    """Why a link cannot be refreshed now."""

    NOT_ACTIVE = "not_active"  # its patient must sign in, or it is over
    NO_REFRESH_TOKEN = "no_refresh_token"  # noqa: S105 - the name of a hindrance
    SWITCHED_OFF = "switched_off"
    UNKNOWN = "unknown_to_this_release"
    TROUBLE = "registration_in_trouble"
    UNDER_WAY = "under_way"  # another worker is refreshing it
    TOO_SOON = "too_soon"


@dataclass(frozen=True)
class Asked:
    """The result for one link; or why it was not refreshed, and until when it will not be."""

    outcome: Outcome | None = None
    hindrance: Hindrance | None = None
    until: datetime | None = None


def refresh_one(connection_id: UUID, *, at: datetime) -> Asked:
    """Refresh this link now, even if its access token is still valid. Speaks to the network: call it outside
    transactions. Raises Connection.DoesNotExist."""
    for claim in claiming.claim([connection_id], at=at, is_refused_too=True):
        result = fault_isolation.attempt(claim, clock=clocks.running_from(at))
        return Asked(outcome=result.outcome, until=result.until)
    return foresee(connection_id, at=at) or Asked(hindrance=Hindrance.UNDER_WAY)


def foresee(connection_id: UUID, *, at: datetime) -> Asked | None:
    """Why this link could not be refreshed now; None if it could. Raises Connection.DoesNotExist."""
    related = ("endpoint", "registration", "stored_token_set")
    connection = Connection.objects.select_related(*related).defer("sealed_candidates").get(pk=connection_id)
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    is_refused = connection.status == Connection.Status.NEEDS_REAUTHORIZATION
    if connection.status != Connection.Status.ACTIVE and not (is_refused and stored is not None and stored.is_doubted):
        return Asked(hindrance=Hindrance.NOT_ACTIVE)
    if stored is None or stored.sealed_refresh_token is None:
        return Asked(hindrance=Hindrance.NO_REFRESH_TOKEN)
    if not (connection.endpoint.is_switched_on and connection.registration.is_switched_on):
        return Asked(hindrance=Hindrance.SWITCHED_OFF)
    if not reaching.is_known(connection.endpoint, connection.registration):
        return Asked(hindrance=Hindrance.UNKNOWN)
    if claiming.is_kept_away(connection, stored, at=at):
        return Asked(hindrance=Hindrance.TROUBLE, until=registering.again_at(connection.registration))
    if stored.lease_until is not None and stored.lease_until > at:
        return Asked(hindrance=Hindrance.UNDER_WAY, until=stored.lease_until)
    if stored.attempt_id is None and stored.not_before_at is not None and stored.not_before_at > at:
        return Asked(hindrance=Hindrance.TOO_SOON, until=stored.not_before_at)
    return None


def bring_forward(registration_id: UUID | None = None, *, at: datetime) -> Mapping[UUID, int]:
    """Make all links due that could be refreshed now, or those of one registration. Returns how many, by registration.

    Works in batches, each its own transaction, so that memory and locks do not grow. If it is interrupted, it can be
    started again.
    """
    hastened: Counter[UUID] = Counter()
    values = {"at": at, "registration": registration_id, "number": _AT_ONCE, "after": UUID(int=0)} | parking.READABLE
    while True:
        with database.cursor() as cursor:
            cursor.execute(_BRING_FORWARD, values)
            found = cursor.fetchall()
        if not found:
            return hastened
        hastened.update(of for _connection_id, of in found)
        values["after"] = max(connection_id for connection_id, _of in found)


def resume(endpoints: Collection[UUID], *, at: datetime) -> int:
    """Make links due now that wait after a failed attempt or a doubted refusal, because what kept the server of these
    endpoints from answering correctly is over. Returns how many."""
    links = Connection.objects.filter(endpoint__in=endpoints).values("pk")
    rows = StoredTokenSet.objects.filter(connection__in=links, sealed_refresh_token__isnull=False)
    rows = rows.filter(Q(tries__gt=0) | Q(refused_at__isnull=False))
    waiting = rows.filter(attempt_id__isnull=True, refresh_due_at__isnull=False)
    return waiting.update(not_before_at=None, refresh_due_at=Least("refresh_due_at", Value(at)))


def count_refreshable(registration_id: UUID | None = None, *, at: datetime) -> Mapping[UUID, int]:
    """How many links `bring_forward` would make due, by registration."""
    with database.cursor() as cursor:
        cursor.execute(_COUNT, {"at": at, "registration": registration_id} | parking.READABLE)
        return dict(cursor.fetchall())
