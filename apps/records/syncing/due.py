"""Which connections are due for a check: told by stored rows and the time, so that nothing is ever merely scheduled."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.records.models import SyncRun, SyncStep

# Often enough for a patient to rely on, and well within interface A's window of 48 hours.
EVERY = timedelta(days=1)

# Before an end that is known: late enough for a day's news, early enough for a provider that does not answer at first.
BEFORE_AN_END = timedelta(hours=4)
_TRIED_AGAIN_AFTER = timedelta(hours=1)

# What a clock of ours wrote down that was further ahead counts for nothing: nobody waits until its time has come.
_BELIEVED = timedelta(days=1)

# What staff switched off is due again when it is on again.
_IS_ON = Q(endpoint__is_switched_on=True, registration__is_switched_on=True)
_RENEWED_WITHIN = timedelta(hours=1)  # whoever looks once a minute misses none


def due_for_sync(at: datetime) -> QuerySet[Connection]:
    """Active connections not checked for a day, nor tried, those never checked first, then the longest waiting.

    A run that ended for want of a sign-in was no try: whoever has signed in since is waiting for what is new. Asks the
    index for what was not checked, and looks at the runs of those alone: of runs there are ever more.
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
    """Active connections that end within hours, whatever we do, and were not checked within those: once more while
    that is possible, the soonest end first. A check that brought not everything is tried again after an hour."""
    unchecked = Q(last_checked_at__isnull=True) | Q(last_checked_at__lte=F("lapses_at") - BEFORE_AN_END)
    unchecked |= Q(last_checked_at__gt=at + _BELIEVED)
    runs = SyncRun.objects.filter(connection=OuterRef("pk"))
    tried = runs.filter(created_at__gt=at - _TRIED_AGAIN_AFTER, created_at__lte=at + _BELIEVED)
    unfinished = runs.filter(finished_at__isnull=True)
    ending = Connection.objects.active().filter(_IS_ON, lapses_at__gt=at, lapses_at__lte=at + BEFORE_AN_END)
    return ending.filter(unchecked, ~Exists(tried), ~Exists(unfinished)).order_by("lapses_at", "pk")


def renewed(at: datetime) -> QuerySet[Connection]:
    """Active connections that were asked for nothing since their patient signed in again: what is shared now may be
    more than before, or less, and "not shared" would be untrue until the next day."""
    runs = SyncRun.objects.filter(connection=OuterRef("connection"))
    renewals = AuthorizationRequest.objects.filter(
        ~Exists(runs.filter(created_at__gte=OuterRef("claimed_at"), created_at__lte=at + _BELIEVED)),
        ~Exists(runs.filter(finished_at__isnull=True)),
        is_reauthorization=True,
        outcome=Outcome.COMPLETED,
        claimed_at__gt=at - _RENEWED_WITHIN,
    )
    return Connection.objects.active().filter(_IS_ON, pk__in=renewals.values("connection")).order_by("pk")
