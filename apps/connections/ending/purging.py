"""Clear away what nobody came back for: unconfirmed links after 30 minutes, old authorization requests after a day,
launches an hour after they ran out, trials after three months unless nobody tried since."""

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


def drop_old_trials(*, at: datetime) -> int:
    """Delete trials that began three months ago, but for the last that ended of each registration and endpoint: it says
    what was tried. Returns how many."""
    same = Trial.objects.filter(registration=OuterRef("registration"), endpoint=OuterRef("endpoint"))
    last = same.filter(ended_at__isnull=False).order_by("-ended_at", "-pk").values("pk")[:1]
    old = Trial.objects.filter(began_at__lte=at - KEEP_TRIALS).annotate(last=Subquery(last))
    _deleted, by_model = Trial.objects.filter(pk__in=old.exclude(pk=F("last")).values("pk")).delete()
    return by_model.get("connections.Trial", 0)
