"""Delete what nobody came back for: unconfirmed connections after 30 minutes, authorization requests a day after they
expired, launches an hour after they expired, and trials after three months, except the last finished ones."""

from datetime import datetime, timedelta

from django.db.models import F, OuterRef, Subquery

from apps.audit.recording import Actor, EventType
from apps.connections.ending import dropping
from apps.connections.models import AuthorizationRequest, Connection, PendingLaunch, Trial
from apps.connections.outcomes import Outcome

KEEP_REQUESTS = timedelta(days=1)
KEEP_LAUNCHES = timedelta(hours=1)
KEEP_TRIALS = timedelta(days=90)
MOST_AT_ONCE = 500


def purge_unconfirmed(*, at: datetime) -> int:
    """Drop connections that nobody confirmed in time, at most MOST_AT_ONCE; returns how many."""
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
    """Delete requests that expired a day ago. Their pages then no longer say how they ended. Returns how many."""
    deleted, _by_model = AuthorizationRequest.objects.filter(expires_at__lte=at - KEEP_REQUESTS).delete()
    return deleted


def drop_old_launches(*, at: datetime) -> int:
    """Delete launches that expired an hour ago, used or not. Their links are then all treated alike. Returns how
    many."""
    deleted, _by_model = PendingLaunch.objects.filter(expires_at__lte=at - KEEP_LAUNCHES).delete()
    return deleted


def drop_old_trials(*, at: datetime) -> int:
    """Delete trials that began three months ago, except the last finished one of each registration and endpoint, which
    says what was tried. Returns how many."""
    same = Trial.objects.filter(registration=OuterRef("registration"), endpoint=OuterRef("endpoint"))
    last = same.filter(ended_at__isnull=False).order_by("-ended_at", "-pk").values("pk")[:1]
    old = Trial.objects.filter(began_at__lte=at - KEEP_TRIALS).annotate(last=Subquery(last))
    _deleted, by_model = Trial.objects.filter(pk__in=old.exclude(pk=F("last")).values("pk")).delete()
    return by_model.get("connections.Trial", 0)
