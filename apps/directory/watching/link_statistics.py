"""How attempts to link lately ended at an endpoint: counted by day, for staff in numbers, for patients in words.

`connections.answers.outcome_counts` counts at most one attempt per account, endpoint and day, and counts it as
connected if any succeeded: if the patient confirmed whose record it is. An attempt counts as failed only if our own
call to the provider failed. What a browser brings could have been written by its owner, and counts at most as that
patient's refusal. No row says who it was.

What patients are told comes from days on which at least five accounts tried: nobody learns how their neighbour fared,
and nobody decides alone what others read, however many days they come. Staff read all numbers.
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
    """How attempts ended in some days. `last_success` is the last day that saw one, of all that are kept."""

    completed: int = 0
    refused_by_patient: int = 0
    failed_there: int = 0
    failed_here: int = 0
    abandoned: int = 0
    last_success: date | None = None

    @property
    def failed(self) -> int:
        """Those that came back with nothing, whosever fault it was."""
        return self.failed_there + self.failed_here

    @property
    def tried(self) -> int:
        """Those that could have succeeded: whoever said no there got what they wanted."""
        return self.completed + self.failed + self.abandoned

    @property
    def percent(self) -> int | None:
        """How many of a hundred succeeded; None where nobody tried."""
        return round(100 * self.completed / self.tried) if self.tried else None


def note(endpoint: Endpoint, ending: Ending, *, at: datetime, times: int = 1) -> None:
    """Count an attempt, or so many of one day. Call it after the attempt's own transaction: it then holds no lock but
    that of its own row, for one statement, and can wait for nobody who waits for it. Whoever counts at several
    endpoints in one transaction does so last, in the order of their ids and of the days."""
    of_the_day = LinkDay.objects.filter(endpoint=endpoint, date=at.date())
    more = {ending.value: F(ending.value) + times}
    if not of_the_day.update(**more):
        LinkDay.objects.bulk_create([LinkDay(endpoint=endpoint, date=at.date())], ignore_conflicts=True)
        of_the_day.update(**more)


def move(endpoint: Endpoint, before: Ending, after: Ending, *, at: datetime) -> None:
    """An attempt that was counted on this day came to another ending after all."""
    of_the_day = LinkDay.objects.filter(endpoint=endpoint, date=at.date(), **{f"{before.value}__gt": 0})
    of_the_day.update(**{before.value: F(before.value) - 1, after.value: F(after.value) + 1})


def at_endpoint(endpoint: Endpoint, *, at: datetime) -> Recent:
    """How attempts at this endpoint ended lately."""
    return _recent(LinkDay.objects.filter(endpoint=endpoint), at=at, within=MONTH)


def at_provider(provider: Provider, *, at: datetime) -> Recent:
    """The same for all endpoints of a provider, which others may share."""
    return _recent(LinkDay.objects.filter(endpoint__providers=provider), at=at, within=MONTH)


def words(endpoint: Endpoint, *, at: datetime) -> str:
    """What somebody who is about to try should know; empty where there is nothing to say. Where several providers share
    the endpoint it is said of the sign-in, since nobody knows at which of them it failed."""
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
    """Delete the days that nobody needs any more; returns how many rows went."""
    deleted, _by_model = LinkDay.objects.filter(date__lt=(at - KEPT_FOR).date()).delete()
    return deleted


def _is_trouble(week: Recent) -> bool:
    """More came back with nothing than with a record; or nobody came back with one, though enough set out."""
    ended = week.completed + week.failed
    if ended >= LEAST_KNOWN and week.failed > week.completed:
        return True
    return week.tried > 0 and week.completed == 0


def _days_that_tell(endpoint: Endpoint) -> QuerySet[LinkDay]:
    """Those on which enough accounts tried, each of them once."""
    tried = F("completed") + F("failed_there") + F("failed_here") + F("abandoned")
    return LinkDay.objects.filter(endpoint=endpoint).alias(tried=tried).filter(tried__gte=LEAST_KNOWN)


def _is_shared(endpoint: Endpoint) -> bool:
    return endpoint.providers.filter(vanished_at__isnull=True).count() > 1


def _recent(days: QuerySet[LinkDay], *, at: datetime, within: timedelta) -> Recent:
    counted = days.filter(date__gt=(at - within).date(), date__lte=at.date())
    sums = counted.aggregate(**{ending.value: Sum(ending.value, default=0) for ending in Ending})
    latest = days.filter(completed__gt=0).order_by("-date").values_list("date", flat=True).first()
    return Recent(**sums, last_success=latest)
