"""Measures choosing and claiming 500 links that are due among ten thousand and among a million, by the clock.

The few are measured before and after the many, in the same tables. Each try is rolled back: the next finds the same.
Postgres has buffers for all of them (`development.servers`). With those of 128 MB that it has by itself, the many cost
1.8 to 1.95 times the few: pages that had to be asked of the kernel.
"""

import json
import sys
import time
from datetime import datetime, timedelta
from statistics import median

from django.db import connection, transaction
from django.utils import timezone

from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import choosing
from apps.directory import reaching
from benchmarks import many_links
from benchmarks.figure import say

_DUE = 500
_FEW, _MANY = 10_000, 1_000_000
_TRIES = 25
_SEALED_TOKEN_BYTES = 460  # of 400 characters
_SERVERS = 8  # of each kind
_KINDS = ((many_links.ROTATING, 0.3), (many_links.NOT_ROTATING, 0.4), (many_links.OFFLINE, 0.3))
_EMPTY = "TRUNCATE connections_connection, directory_authorizationserver CASCADE"
_PICK = """
UPDATE connections_storedtokenset SET refresh_due_at = %s, refresh_deadline_at = %s
WHERE connection_id IN (
    SELECT connection_id FROM connections_storedtokenset
    WHERE refresh_due_at IS NOT NULL ORDER BY connection_id LIMIT %s
)
"""


def main(*arguments: str) -> None:
    """One line of JSON: how many times longer it takes among many, and where all that can be due is."""
    many = int(arguments[0]) if arguments else _MANY
    reaching.refreshes_per_second = _unhurried
    at = timezone.now()
    before = _milliseconds(_FEW, at=at)
    among_many = _milliseconds(many, at=at)
    StoredTokenSet.objects.filter(refresh_due_at__isnull=False).update(refresh_due_at=at - timedelta(hours=1))
    of_backlog = _tried(at)
    few = (before + _milliseconds(_FEW, at=at)) / 2
    figures = {"to_few": among_many / few, "backlog_to_few": of_backlog / few, "few_ms": few, "many_ms": among_many}
    print(json.dumps(figures))


def _unhurried(dialect_name: str) -> float:  # noqa: ARG001
    """What choosing costs is measured, not how we hold back."""
    return 1_000_000.0


def _milliseconds(number: int, *, at: datetime) -> float:
    with connection.cursor() as cursor:
        cursor.execute(_EMPTY)
    servers = [
        many_links.make_server(kind, int(number * share / _SERVERS), at=at)
        for kind, share in _KINDS
        for _server in range(_SERVERS)
    ]
    many_links.fill(servers, at=at, token_bytes=_SEALED_TOKEN_BYTES)
    with connection.cursor() as cursor:
        cursor.execute(_PICK, [at - timedelta(minutes=1), at + timedelta(hours=24), _DUE])
    return _tried(at)


def _tried(at: datetime) -> float:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE connections_storedtokenset")
    return median(_once(number, at=at) for number in range(_TRIES)) * 1000


def _once(number: int, *, at: datetime) -> float:
    say(f"choosing, try {number + 1} of {_TRIES}")
    with transaction.atomic():
        began = time.perf_counter()
        taken = choosing.take(_DUE, at=at)
        taken_seconds = time.perf_counter() - began
        transaction.set_rollback(True)
    if len(taken.claims) != _DUE:
        sys.exit(f"{len(taken.claims)} were taken, not {_DUE}")
    return taken_seconds
