"""Dates in words: months in full, never all numbers, and never more than was sent (patient experience 3.0).

`config/formats` says how each language writes them.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, tzinfo
from functools import cached_property, lru_cache
from typing import Final

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.accounts import time_zones
from apps.wire import datetimes
from apps.wire.datetimes import FhirDateTime, Precision

_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9]([.][0-9]+)?)?")  # of day
_DAYS_KEPT: Final = 8192
_MINUTES_KEPT: Final = 2 * 24 * 60  # of a day, in either language


class Calendar:
    """Whose language and zone dates are told in. A page has a hundred dates, and asking for these takes as long as all
    else of a date: one calendar asks once, and is for one page alone."""

    @cached_property
    def _language(self) -> str:
        return get_language() or ""

    @cached_property
    def _zone(self) -> tzinfo:
        return timezone.get_current_timezone()

    @cached_property
    def _with_its_time(self) -> str:
        return gettext("%(date)s, %(time)s")

    def sent_date(self, sent: str) -> str:
        """What `dates.sent_date` says."""
        if not sent:
            return ""
        parsed = datetimes.parse(sent)
        return gettext("“%(sent)s”") % {"sent": sent} if parsed is None else self._in_words(parsed, sent)

    def sent_moment(self, sent: str) -> str:
        """What `dates.sent_moment` says."""
        parsed = datetimes.parse(sent) if sent else None
        if parsed is None:
            return self.sent_date(sent)
        if parsed.precision is not Precision.MOMENT:
            return self._in_words(parsed, sent)
        day, clock = self._day_and_clock(parsed, sent)
        told = _day_in(day, self._language)
        if clock is None or (clock == time.min and not sent.endswith("Z")):
            return told
        return self._with_its_time % {"date": told, "time": self._clock(clock)}

    def sent_clock(self, sent: str) -> str:
        """What `dates.sent_clock` says."""
        parsed = datetimes.parse(sent) if sent else None
        clock = self._day_and_clock(parsed, sent)[1] if parsed is not None else None
        return "" if clock is None else self._clock(clock)

    def told_day(self, parsed: FhirDateTime, sent: str) -> date:
        """The day that is told of it, the first where it is of several."""
        return self._day_and_clock(parsed, sent)[0]

    def _in_words(self, parsed: FhirDateTime, sent: str) -> str:
        if parsed.precision is Precision.YEAR:
            return str(parsed.first_day.year)
        if parsed.precision is Precision.MONTH:
            return formats.date_format(parsed.first_day, "YEAR_MONTH_FORMAT")
        return _day_in(self.told_day(parsed, sent), self._language)

    def _day_and_clock(self, parsed: FhirDateTime, sent: str) -> tuple[date, time | None]:
        """A clock time of the writer's own never moves to another day. Midnight in UTC is none."""
        if parsed.precision is not Precision.MOMENT:
            return parsed.first_day, None
        if not sent.endswith("Z"):
            return parsed.first_day, _clock_of(sent)
        if parsed.starts_at.time() == time.min:
            return parsed.first_day, None
        local = self._local(parsed.starts_at)
        return local.date(), local.time()

    def _local(self, moment: datetime) -> datetime:
        """In the reader's zone; as it was sent where no calendar goes so far: some say "for ever" by the last
        second."""
        try:
            return moment.astimezone(self._zone)
        except OverflowError:
            return moment

    def _clock(self, clock: time) -> str:
        return _clock_in(clock.replace(second=0, microsecond=0), self._language)


def sent_date(sent: str) -> str:
    """A FHIR date as a person reads it: 2019; March 2019; March 4, 2019. What is no date is quoted as it was sent."""
    return Calendar().sent_date(sent)


def sent_period(starts: str, ends: str, say: Callable[[str], str] = sent_date) -> str:
    """From one FHIR date to another, and once what both have: March 4 to 9, 2019; March 4 to May 6, 2019. `say` puts
    one of them into words where they stand side by side, with its clock time perhaps."""
    one, other = datetimes.parse(starts), datetimes.parse(ends)
    if one is not None and other is not None and not _have_clocks(starts, ends, say):
        calendar = Calendar()
        first, last = calendar.told_day(one, starts), calendar.told_day(other, ends)
        if first < last and min(one.precision, other.precision) >= Precision.DAY:
            return _days_in(first, last, get_language() or "")
        if first < last and one.precision is other.precision is Precision.MONTH:
            return _months_in(first, last, get_language() or "")
    words = _BETWEEN[is_a_day(starts), is_a_day(ends)]
    return str(words) % {"start": say(starts), "end": say(ends)}


def sent_since(sent: str, say: Callable[[str], str] = sent_date) -> str:
    """A FHIR date after "since": Since March 4, 2019."""
    words = gettext("Since %(date)s") if is_a_day(sent) else pgettext("a month or a year", "Since %(date)s")
    return words % {"date": say(sent)}


def sent_from(sent: str, say: Callable[[str], str] = sent_date) -> str:
    """A FHIR date from which on something is to be: From March 4, 2019 on."""
    words = gettext("From %(start)s on") if is_a_day(sent) else pgettext("a month or a year", "From %(start)s on")
    return words % {"start": say(sent)}


def sent_until(sent: str, say: Callable[[str], str] = sent_date) -> str:
    """A FHIR date after "until": Until March 4, 2019."""
    words = gettext("Until %(date)s") if is_a_day(sent) else pgettext("a month or a year", "Until %(date)s")
    return words % {"date": say(sent)}


def sent_on(sent: str) -> str:
    """A FHIR date within a sentence: on March 4, 2019; in March 2019. Where none was sent: on a date not given."""
    if not sent:
        return gettext("on a date not given")
    return (gettext("on %(date)s") if is_a_day(sent) else gettext("in %(date)s")) % {"date": sent_date(sent)}


def is_a_day(sent: str) -> bool:
    """Whether it is as exact as that: in Spanish a day has an article, and a month has none."""
    parsed = datetimes.parse(sent) if sent else None
    return parsed is not None and parsed.precision >= Precision.DAY


def _have_clocks(starts: str, ends: str, say: Callable[[str], str]) -> bool:
    """Whether either is told with more than its date."""
    if getattr(say, "__func__", say) in {sent_date, Calendar.sent_date}:  # of a page with many: each is told once
        return False
    return any(say(sent) != sent_date(sent) for sent in (starts, ends))


# By whether the one and the other are days: in Spanish a day has an article, and a month has none.
_BETWEEN: Final[Mapping[tuple[bool, bool], str | Promise]] = {
    (True, True): _("%(start)s to %(end)s"),
    (True, False): pgettext_lazy("from a day to a month or a year", "%(start)s to %(end)s"),
    (False, True): pgettext_lazy("from a month or a year to a day", "%(start)s to %(end)s"),
    (False, False): pgettext_lazy("from a month or a year to another", "%(start)s to %(end)s"),
}


def year(sent: str) -> str:
    """The year that `sent_date` says; empty for what is no date."""
    parsed = datetimes.parse(sent) if sent else None
    return "" if parsed is None else f"{Calendar().told_day(parsed, sent).year:04}"


def last_day(sent: str) -> date | None:
    """The last day that it can mean, of a moment the one that `sent_date` says; None for what is no date."""
    parsed = datetimes.parse(sent)
    if parsed is None:
        return None
    return Calendar().told_day(parsed, sent) if parsed.precision is Precision.MOMENT else parsed.last_day


def sent_moment(sent: str) -> str:
    """The same with the clock time, where one was sent: as the writer's clock showed it, and moved to the reader's zone
    where it was sent in UTC. Midnight, there or on the writer's clock, is no clock time, but a date: most systems write
    so what they know by its day, and which night midnight is of nobody can tell."""
    return Calendar().sent_moment(sent)


def sent_clock(sent: str) -> str:
    """The clock time alone, midnight too; empty where none was sent."""
    return Calendar().sent_clock(sent)


def sent_time(sent: str) -> str:
    """A FHIR time of day as a person reads it: 10:30 p.m. What is none stays as it was sent."""
    found = _TIME.fullmatch(sent)
    return sent if found is None else _clock_in(time(int(found[1]), int(found[2])), get_language() or "")


def day(moment: datetime) -> str:
    """The day of one of our own moments, in the reader's zone: May 3, 2026."""
    return _day(timezone.localtime(moment).date())


def when(moment: datetime, *, now: datetime) -> str:
    """One of our own moments after "checked": today at 9:40 a.m. UTC, or: on May 3, 2026."""
    local = timezone.localtime(moment)
    if local.date() == timezone.localtime(now).date():
        is_one = local.hour % 12 == 1  # which has an article of its own in Spanish
        at = pgettext("one o'clock", "today at %(time)s") if is_one else gettext("today at %(time)s")
        return at % {"time": time_of_day(moment)}
    return gettext("on %(date)s") % {"date": _day(local.date())}


def time_of_day(moment: datetime) -> str:
    """The clock time of one of our own moments, as `time_zones.clock` tells it."""
    return time_zones.clock(timezone.localtime(moment))


def _clock_of(sent: str) -> time:
    """The hour and minute as written."""
    hour, minute = sent.strip().partition("T")[2][:5].split(":")
    return time(int(hour), int(minute))


def _day(value: date) -> str:
    return _day_in(value, get_language() or "")


@lru_cache(maxsize=_DAYS_KEPT)
def _day_in(value: date, _language: str) -> str:
    """A list has a day in each row, and writing one takes as long as all else of the row. A day is nobody's."""
    return formats.date_format(value, "DATE_FORMAT")


@lru_cache(maxsize=_DAYS_KEPT)
def _days_in(first: date, last: date, _language: str) -> str:
    """The same of two days, one after the other."""
    if first.year != last.year:
        return gettext("%(first)s to %(last)s") % {"first": _day(first), "last": _day(last)}
    parts = {"month": formats.date_format(first, "F"), "first": first.day, "last": last.day, "year": first.year}
    if first.month == last.month:
        return gettext("%(month)s %(first)s to %(last)s, %(year)s") % parts
    days = (formats.date_format(day, "MONTH_DAY_FORMAT") for day in (first, last))
    return gettext("%(first)s to %(last)s, %(year)s") % {**parts, **dict(zip(("first", "last"), days, strict=True))}


@lru_cache(maxsize=_DAYS_KEPT)
def _months_in(first: date, last: date, _language: str) -> str:
    """The same of two months."""
    written = "F" if first.year == last.year else "YEAR_MONTH_FORMAT"
    parts = {"first_month": formats.date_format(first, written), "last_month": formats.date_format(last, written)}
    if first.year != last.year:
        return gettext("%(first_month)s to %(last_month)s") % parts
    return gettext("%(first_month)s to %(last_month)s %(year)s") % {**parts, "year": first.year}


@lru_cache(maxsize=_MINUTES_KEPT)
def _clock_in(value: time, _language: str) -> str:
    """The same of a clock time, to the minute: a minute of no day is nobody's."""
    return str(formats.time_format(value, "TIME_FORMAT"))
