"""Which connections are due for a check: derived from stored rows and the time, so that nothing depends on a queued
message."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.records.models import SyncRun, SyncStep

# Often enough for a patient to rely on, and well within interface A's window of 48 hours.
EVERY = timedelta(days=1)

# Before an end that is known: late enough to include the day's news, early enough to retry if the provider does not
# answer at first.
BEFORE_AN_END = timedelta(hours=4)
_TRIED_AGAIN_AFTER = timedelta(hours=1)

# A time further in the future than this was written by a wrong clock and is ignored, so that nobody waits for it.
_BELIEVED = timedelta(days=1)

# What staff switched off becomes due when it is switched on again.
_IS_ON = Q(endpoint__is_switched_on=True, registration__is_switched_on=True)
_REAUTHORIZED_WITHIN = timedelta(hours=1)  # a scheduler that looks once a minute misses none


def due_for_sync(at: datetime) -> QuerySet[Connection]:
    """Active connections that were neither checked nor tried for a day: those never checked first, then by longest
    wait.

    A run that ended because a sign-in was needed does not count as tried: a patient who has signed in since is waiting
    for news. The query finds unchecked connections by index and looks at the runs of those alone, as the number of runs
    only grows.
    """
    runs = SyncRun.objects.filter(connection=OuterRef("pk"))
    tried = runs.filter(created_at__gt=at - EVERY, created_at__lte=at + _BELIEVED)
    tried = tried.exclude(steps__gap=SyncStep.Gap.SIGN_IN_NEEDED)
    unfinished = runs.filter(finished_at__isnull=True)
    unchecked = Q(last_checked_at__isnull=True) | Q(last_checked_at__lte=at - EVERY)
    unchecked |= Q(last_checked_at__gt=at + _BELIEVED)
    due = Connection.objects.active().filter(_IS_ON, unchecked, ~Exists(tried), ~Exists(unfinished))
    return due.order_by(F("last_checked_at").asc(nulls_first=True), "pk")


def due_before_an_end(at: datetime) -> QuerySet[Connection]:
    """Active connections that will end within hours, whatever we do, and were not checked within those hours: they get
    one more check while it is possible, the soonest end first. An incomplete check is tried again after an hour."""
    unchecked = Q(last_checked_at__isnull=True) | Q(last_checked_at__lte=F("lapses_at") - BEFORE_AN_END)
    unchecked |= Q(last_checked_at__gt=at + _BELIEVED)
    runs = SyncRun.objects.filter(connection=OuterRef("pk"))
    tried = runs.filter(created_at__gt=at - _TRIED_AGAIN_AFTER, created_at__lte=at + _BELIEVED)
    unfinished = runs.filter(finished_at__isnull=True)
    ending = Connection.objects.active().filter(_IS_ON, lapses_at__gt=at, lapses_at__lte=at + BEFORE_AN_END)
    return ending.filter(unchecked, ~Exists(tried), ~Exists(unfinished)).order_by("lapses_at", "pk")


def reauthorized(at: datetime) -> QuerySet[Connection]:
    """Active connections not checked since their patient signed in again: more may be shared now than before, or less,
    and "not shared" would be wrong until the next day."""
    runs = SyncRun.objects.filter(connection=OuterRef("connection"))
    reauthorizations = AuthorizationRequest.objects.filter(
        ~Exists(runs.filter(created_at__gte=OuterRef("claimed_at"), created_at__lte=at + _BELIEVED)),
        ~Exists(runs.filter(finished_at__isnull=True)),
        is_reauthorization=True,
        outcome=Outcome.COMPLETED,
        claimed_at__gt=at - _REAUTHORIZED_WITHIN,
    )
    return Connection.objects.active().filter(_IS_ON, pk__in=reauthorizations.values("connection")).order_by("pk")
