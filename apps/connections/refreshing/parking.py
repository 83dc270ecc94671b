"""Park links that may not be refreshed, so that they are not in the way of those that may.

Whether an endpoint is switched on is stored once, in the directory, but `choosing` meets its links one by one. It would
skip the same tens of thousands of due links at each look, for as long as staff leave an endpoint off. So those it meets
are parked, in batches: they are no longer due. Links that are due later are met then. Within a minute of being switched
on, all are due again; `choosing` orders them, and their server's budget applies.

Links that have ended are not parked, because new tokens bring new times. A dialect that this release does not know
counts as switched off: a newer release may have written it, and other links must not wait for it.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from apps.directory import overriding
from apps.wire.dialects import DIALECTS

_LOG = logging.getLogger(__name__)

_AT_ONCE = 2000
_CONFIRMED_WITHIN = timedelta(minutes=1)  # when a link that awaits confirmation is looked at again

# The endpoint of each link, looked up link by link. With an ordinary join, Postgres could start from endpoints and scan
# all links for each: it misjudges a small table that was never analyzed.
ITS_ENDPOINT = """
JOIN LATERAL (
    SELECT of_link.is_switched_on, of_link.dialect
    FROM directory_endpoint AS of_link WHERE of_link.id = linked.endpoint_id OFFSET 0
) AS endpoint ON TRUE
"""
# Whether a link is to be refreshed: it is active, or was refused and is doubted (`doubting`). Needs `linked` and
# `stored`.
IS_REFRESHED = """
(linked.status = 'active' OR (linked.status = 'needs_reauthorization' AND stored.refused_at IS NOT NULL))
"""
# Whether it may be refreshed, judged by its connection and endpoint. Needs `endpoint` as well.
IS_WORKABLE = f"({IS_REFRESHED} AND endpoint.is_switched_on AND endpoint.dialect = ANY(%(dialects)s::text[]))"
KNOWN: dict[str, Any] = {"dialects": list(DIALECTS)}
# Whether this release can read a registration's overrides. Needs `registration`. If not, it is left out with all its
# links before any of them is read, like one in trouble.
IS_READABLE = "registration.token_parameters = ANY(%(readable)s::text[])"
READABLE: dict[str, Any] = {"readable": list(overriding.READABLE)}

_PARK = f"""
UPDATE connections_storedtokenset AS parked
SET refresh_due_at = CASE WHEN met.status = 'awaiting_confirmation' THEN %(look_again_at)s END,
    parked_endpoint_id = CASE WHEN met.is_refreshed THEN met.endpoint_id END
FROM (
    SELECT stored.connection_id, linked.status, linked.endpoint_id, endpoint.dialect, {IS_REFRESHED} AS is_refreshed
    FROM connections_storedtokenset AS stored
    JOIN connections_connection AS linked ON linked.id = stored.connection_id
    {ITS_ENDPOINT}
    WHERE stored.connection_id = ANY(%(ids)s::uuid[]) AND stored.refresh_due_at <= %(at)s AND NOT {IS_WORKABLE}
    ORDER BY stored.connection_id
    FOR UPDATE OF stored SKIP LOCKED
) AS met
WHERE parked.connection_id = met.connection_id
RETURNING met.dialect
"""  # noqa: S608 # nosec B608 - of constants alone
# Goes from one endpoint with parked links to the next, however many links each has (a loose index scan).
# Materialized as in `early_refreshes`.
_RETURN = """
WITH RECURSIVE parked (endpoint_id) AS (
    (SELECT parked_endpoint_id FROM connections_storedtokenset
    WHERE parked_endpoint_id IS NOT NULL ORDER BY parked_endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT stored.parked_endpoint_id FROM connections_storedtokenset AS stored
        WHERE stored.parked_endpoint_id > parked.endpoint_id ORDER BY stored.parked_endpoint_id LIMIT 1)
    FROM parked WHERE parked.endpoint_id IS NOT NULL
), met AS MATERIALIZED (
    SELECT stored.connection_id FROM parked
    JOIN directory_endpoint AS endpoint ON endpoint.id = parked.endpoint_id
        AND endpoint.is_switched_on AND endpoint.dialect = ANY(%(dialects)s::text[])
    JOIN connections_storedtokenset AS stored ON stored.parked_endpoint_id = endpoint.id
    LIMIT %(number)s
    FOR UPDATE OF stored SKIP LOCKED
)
UPDATE connections_storedtokenset AS returned
SET refresh_due_at = COALESCE(returned.refresh_due_at, %(at)s), parked_endpoint_id = NULL
FROM met
WHERE returned.connection_id = met.connection_id
"""


def park(ids: Collection[UUID], *, at: datetime) -> None:
    """Make those of these links no longer due that are due and may not be refreshed."""
    with connection.cursor() as cursor:
        cursor.execute(_PARK, {"ids": list(ids), "at": at, "look_again_at": at + _CONFIRMED_WITHIN, **KNOWN})
        unknown = {dialect for (dialect,) in cursor.fetchall()} - DIALECTS.keys()
    if unknown:
        _LOG.error("Links of a dialect that this release does not know are left alone: %s", ", ".join(sorted(unknown)))


def return_parked(*, at: datetime) -> int:
    """Make parked links due whose endpoint is on again; returns how many. Works in batches, each its own
    transaction."""
    number = 0
    while returned := _return(at=at):
        number += returned
    return number


def _return(*, at: datetime) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = off")  # as in `choosing`
        cursor.execute(_RETURN, {"at": at, "number": _AT_ONCE, **KNOWN})
        return int(cursor.rowcount)
