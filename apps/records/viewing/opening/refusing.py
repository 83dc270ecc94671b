"""Which connections are refused everything by their provider, as far as the last run that ended tells."""

from collections.abc import Iterable
from uuid import UUID

from apps.connections.models import Connection
from apps.records.viewing.opening import last_checks


def of(connections: Iterable[Connection]) -> frozenset[UUID]:
    """Their ids. One query, none where there is no connection."""
    checks = last_checks.of(connection.pk for connection in connections)
    return frozenset(pk for pk, check in checks.items() if check.is_refused)
