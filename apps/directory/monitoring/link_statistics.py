"""How attempts to link an endpoint ended lately: counted by day, for staff in numbers, for patients in words.

`connections.authorization_responses.outcome_counts` counts at most one attempt per account, endpoint and day, and
counts it as connected if any succeeded: if the patient confirmed whose record it is. An attempt counts as failed only
if our own call to the provider failed. What a browser brings could have been written by its owner, and counts at most
as that patient's refusal. No row says who it was.

What patients read is based on days on which at least five accounts tried: so nobody learns how one other person fared,
and nobody alone determines what others read, however many days they come. Staff see all numbers.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.db.models import F, QuerySet, Sum
from django.utils.translation import gettext as _

from apps.directory.models import Endpoint, LinkDay, Provider

KEPT_FOR = timedelta(days=60)
MONTH = timedelta(days=30)
WEEK = timedelta(days=7)
LEAST_KNOWN = 5


class Ending(StrEnum):
    """How an attempt ended; each is a column of LinkDay."""

    COMPLETED = "completed"
    REFUSED_BY_PATIENT = "refused_by_patient"
    FAILED_THERE = "failed_there"
    FAILED_HERE = "failed_here"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Recent:
    """How attempts ended within some days. `last_success` is the last day with one, of all days that are kept."""

    completed: int = 0
    refused_by_patient: int = 0
    failed_there: int = 0
    failed_here: int = 0
    abandoned: int = 0
    last_success: date | None = None

    @property
    def failed(self) -> int:
        """Attempts that failed, whosever fault it was."""
        return self.failed_there + self.failed_here

    @property
    def tried(self) -> int:
        """Attempts that could have succeeded: who refused there got what they wanted."""
        return self.completed + self.failed + self.abandoned

    @property
    def percent(self) -> int | None:
        """The percentage that succeeded; None if nobody tried."""
        return round(100 * self.completed / self.tried) if self.tried else None


def note(endpoint: Endpoint, ending: Ending, *, at: datetime, times: int = 1) -> None:
    """Count an attempt, or several of one day. Call it after the attempt's own transaction: then it holds only the lock
    of its own row, for one statement, and cannot deadlock. A transaction that counts at several endpoints does so last,
    in the order of their ids and of the days."""
    of_the_day = LinkDay.objects.filter(endpoint=endpoint, date=at.date())
    more = {ending.value: F(ending.value) + times}
    if not of_the_day.update(**more):
        LinkDay.objects.bulk_create([LinkDay(endpoint=endpoint, date=at.date())], ignore_conflicts=True)
        of_the_day.update(**more)


def move(endpoint: Endpoint, before: Ending, after: Ending, *, at: datetime) -> None:
    """An attempt that was already counted on this day got another ending after all."""
    of_the_day = LinkDay.objects.filter(endpoint=endpoint, date=at.date(), **{f"{before.value}__gt": 0})
    of_the_day.update(**{before.value: F(before.value) - 1, after.value: F(after.value) + 1})


def at_endpoint(endpoint: Endpoint, *, at: datetime) -> Recent:
    """How attempts at this endpoint ended lately."""
    return _recent(LinkDay.objects.filter(endpoint=endpoint), at=at, within=MONTH)


def at_provider(provider: Provider, *, at: datetime) -> Recent:
    """The same for all endpoints of a provider, which others may share."""
    return _recent(LinkDay.objects.filter(endpoint__providers=provider), at=at, within=MONTH)


def words(endpoint: Endpoint, *, at: datetime) -> str:
    """What somebody who is about to try should know; empty if there is nothing to say. If several providers share the
    endpoint, it is said of the sign-in, because it is unknown at which of them it failed."""
    days = _days_that_tell(endpoint)
    if _is_trouble(_recent(days, at=at, within=WEEK)):
        if _is_shared(endpoint):
            return _(
                "People are having trouble with this sign-in this week, which several providers share. It may fail for "
                "you too; nothing is lost if it does."
            )
        return _(
            "People are having trouble connecting here this week. It may fail for you too; nothing is lost if it does."
        )
    month = _recent(days, at=at, within=MONTH)
    if month.tried and month.completed * 2 > month.tried:
        if _is_shared(endpoint):
            return _("Most people who used this sign-in in the last month were connected. Several providers share it.")
        return _("Most people who tried in the last month were connected.")
    return ""


def forget_old(*, at: datetime) -> int:
    """Delete days that are no longer needed; returns how many rows."""
    deleted, _by_model = LinkDay.objects.filter(date__lt=(at - KEPT_FOR).date()).delete()
    return deleted


def _is_trouble(week: Recent) -> bool:
    """More attempts failed than succeeded; or none succeeded, although enough were made."""
    ended = week.completed + week.failed
    if ended >= LEAST_KNOWN and week.failed > week.completed:
        return True
    return week.tried > 0 and week.completed == 0


def _days_that_tell(endpoint: Endpoint) -> QuerySet[LinkDay]:
    """Days on which enough accounts tried."""
    tried = F("completed") + F("failed_there") + F("failed_here") + F("abandoned")
    return LinkDay.objects.filter(endpoint=endpoint).alias(tried=tried).filter(tried__gte=LEAST_KNOWN)


def _is_shared(endpoint: Endpoint) -> bool:
    return endpoint.providers.filter(vanished_at__isnull=True).count() > 1


def _recent(days: QuerySet[LinkDay], *, at: datetime, within: timedelta) -> Recent:
    counted = days.filter(date__gt=(at - within).date(), date__lte=at.date())
    sums = counted.aggregate(**{ending.value: Sum(ending.value, default=0) for ending in Ending})
    latest = days.filter(completed__gt=0).order_by("-date").values_list("date", flat=True).first()
    return Recent(**sums, last_success=latest)
