"""Clear away what nobody came back for: unconfirmed links after 30 minutes, old authorization requests after a day,
launches an hour after they ran out."""

from datetime import datetime, timedelta

from apps.audit.recording import Actor, EventType
from apps.connections import dropping
from apps.connections.models import AuthorizationRequest, Connection, PendingLaunch
from apps.connections.outcomes import Outcome

KEEP_REQUESTS = timedelta(days=1)
KEEP_LAUNCHES = timedelta(hours=1)
MOST_AT_ONCE = 500


def purge_unconfirmed(*, at: datetime) -> int:
    """Drop the links nobody confirmed in time; returns how many. What is left over is there at the next call."""
    overdue = Connection.objects.overdue(at)
    dropped = [
        dropping.drop_unconfirmed(
            connection,
            outcome=Outcome.UNCONFIRMED,
            event=EventType.CONNECTION_EXPIRED,
            actor=Actor.system("beat"),
            at=at,
        )
        for connection in overdue.order_by("confirm_by_at", "pk")[:MOST_AT_ONCE]
    ]
    return sum(dropped)


def drop_old_requests(*, at: datetime) -> int:
    """Delete requests that ended, or expired, a day ago; their page then no longer says how. Returns how many."""
    deleted, _by_model = AuthorizationRequest.objects.filter(expires_at__lte=at - KEEP_REQUESTS).delete()
    return deleted


def drop_old_launches(*, at: datetime) -> int:
    """Delete launches that ran out an hour ago, used or not: their links then tell nothing apart. Returns how many."""
    deleted, _by_model = PendingLaunch.objects.filter(expires_at__lte=at - KEEP_LAUNCHES).delete()
    return deleted
