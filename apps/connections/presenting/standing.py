"""A user's connections as pages show them: those that need the patient first, and distinguished if two look alike.

`states` describes a single one. No token is read, only the times of token sets.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.accounts.models import User
from apps.connections.authorization_responses import candidates
from apps.connections.models import Connection
from apps.connections.presenting import states
from apps.connections.presenting.states import ShownConnection, is_stopped
from apps.directory import versions
from apps.directory.models import Endpoint
from apps.vault.sealing import KeyRing

__all__ = ["ShownConnection", "is_stopped", "of_connection", "of_user"]

_NEVER = datetime.max.replace(tzinfo=UTC)


def of_user(user: User, *, at: datetime, ring: KeyRing | None = None) -> list[ShownConnection]:
    """Every connection of the user that was confirmed or awaits confirmation; those that need the patient first, and of
    these the one that ends soonest. `ring` is their key ring, if it is already unlocked."""
    rows = _with_deadlines(user.connections.exclude(_overdue(at))).order_by("provider__name", "created_at", "pk")
    return sorted(_standings(user.pk, rows, at=at, ring=ring), key=_urgency)


def of_connection(connection: Connection, *, at: datetime) -> ShownConnection:
    """The same for one of them. Raises Connection.DoesNotExist if it was just deleted."""
    beside = Connection.objects.filter(user_id=connection.user_id, provider_id=connection.provider_id)
    rows = _with_deadlines(beside.exclude(_overdue(at) & ~Q(pk=connection.pk)))
    for found in _standings(connection.user_id, rows, at=at):
        if found.connection.pk == connection.pk:
            return found
    raise Connection.DoesNotExist


def _urgency(one: ShownConnection) -> tuple[bool, bool, datetime]:
    return not one.needs_you, _is_over(one.connection), (one.needs_you and one.ends_at) or _NEVER


def _is_over(connection: Connection) -> bool:
    return connection.status in {Connection.Status.ENDED, Connection.Status.DISCONNECTED}


def _overdue(at: datetime) -> Q:
    """Connections that beat is about to drop."""
    return Q(status=Connection.Status.AWAITING_CONFIRMATION, confirm_by_at__lte=at)


def _standings(
    user_id: UUID, rows: QuerySet[Connection], *, at: datetime, ring: KeyRing | None = None
) -> list[ShownConnection]:
    """The state of each, with whose record it is: one provider may have a parent's and a child's."""
    people = candidates.find_people_with(ring, rows) if ring else candidates.find_people(user_id, rows)
    found = [
        replace(states.of(row, at=at), person=people[row.pk].name) if row.pk in people else states.unnamed(row, at=at)
        for row in rows
    ]
    return _told_apart(found)


def _told_apart(standings: Sequence[ShownConnection]) -> list[ShownConnection]:
    """Add how each is read, if one provider has several for one person."""
    endpoints: dict[tuple[UUID, str], list[Endpoint]] = defaultdict(list)
    for one in standings:
        endpoints[one.connection.provider_id, one.person].append(one.connection.endpoint)
    return [
        replace(
            one,
            way=versions.way(one.connection.endpoint, among=endpoints[one.connection.provider_id, one.person]),
        )
        for one in standings
    ]


def _with_deadlines(rows: QuerySet[Connection]) -> QuerySet[Connection]:
    """Load the deadlines, without tokens or candidates."""
    related = ("provider", "endpoint__silence", "registration", "stored_token_set")
    return rows.select_related(*related).defer(
        "sealed_candidates", "stored_token_set__sealed_access_token", "stored_token_set__sealed_refresh_token"
    )
