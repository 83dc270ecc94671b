"""Which connections are due for a check: told by stored rows and the time, so that nothing is ever merely scheduled."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep

# Often enough for a patient to rely on, and well within interface A's window of 48 hours.
EVERY = timedelta(days=1)


def due_for_sync(at: datetime) -> QuerySet[Connection]:
    """Active connections not checked for a day, nor tried, those never checked first, then the longest waiting.

    A run that ended for want of a sign-in was no try: whoever has signed in since is waiting for what is new. Asks the
    index for what was not checked, and looks at the runs of those alone: of runs there are ever more.
    """
    runs = SyncRun.objects.filter(connection=OuterRef("pk"))
    tried = runs.filter(created_at__gt=at - EVERY).exclude(steps__gap=SyncStep.Gap.SIGN_IN_NEEDED)
    unfinished = runs.filter(finished_at__isnull=True)
    unchecked = Q(last_checked_at__isnull=True) | Q(last_checked_at__lte=at - EVERY)
    due = Connection.objects.active().filter(unchecked, ~Exists(tried), ~Exists(unfinished))
    return due.order_by(F("last_checked_at").asc(nulls_first=True), "pk")
