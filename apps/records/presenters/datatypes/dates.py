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

_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9]([.][0-9]+)?)?")  # a time of day
_DAYS_KEPT: Final = 8192
_MINUTES_KEPT: Final = 2 * 24 * 60  # all minutes of a day, in both languages


class Calendar:
    """Writes dates in the reader's language and time zone. Looking these up takes as long as all the rest of writing a
    date, and a page has a hundred dates: a calendar looks them up once, and serves one page only."""

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
        """The same as `dates.sent_date`."""
        if not sent:
            return ""
        parsed = datetimes.parse(sent)
        return gettext("“%(sent)s”") % {"sent": sent} if parsed is None else self._in_words(parsed, sent)

    def sent_moment(self, sent: str) -> str:
        """The same as `dates.sent_moment`."""
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
        """The same as `dates.sent_clock`."""
        parsed = datetimes.parse(sent) if sent else None
        clock = self._day_and_clock(parsed, sent)[1] if parsed is not None else None
        return "" if clock is None else self._clock(clock)

    def told_day(self, parsed: FhirDateTime, sent: str) -> date:
        """The day that pages show for this date; the first day, if the date is a month or a year."""
        return self._day_and_clock(parsed, sent)[0]

    def _in_words(self, parsed: FhirDateTime, sent: str) -> str:
        if parsed.precision is Precision.YEAR:
            return str(parsed.first_day.year)
        if parsed.precision is Precision.MONTH:
            return formats.date_format(parsed.first_day, "YEAR_MONTH_FORMAT")
        return _day_in(self.told_day(parsed, sent), self._language)

    def _day_and_clock(self, parsed: FhirDateTime, sent: str) -> tuple[date, time | None]:
        """The day and the clock time to show. Only a time sent in UTC moves to the reader's zone, and so perhaps to
        another day. Midnight in UTC is not a clock time."""
        if parsed.precision is not Precision.MOMENT:
            return parsed.first_day, None
        if not sent.endswith("Z"):
            return parsed.first_day, _clock_of(sent)
        if parsed.starts_at.time() == time.min:
            return parsed.first_day, None
        local = self._local(parsed.starts_at)
        return local.date(), local.time()

    def _local(self, moment: datetime) -> datetime:
        """The moment in the reader's zone, or as sent if Python's calendar does not reach that far: some systems send
        its last second for "forever"."""
        try:
            return moment.astimezone(self._zone)
        except OverflowError:
            return moment

    def _clock(self, clock: time) -> str:
        return _clock_in(clock.replace(second=0, microsecond=0), self._language)


def sent_date(sent: str) -> str:
    """A FHIR date as a person reads it: 2019; March 2019; March 4, 2019. Any other text is quoted as sent."""
    return Calendar().sent_date(sent)


def sent_period(starts: str, ends: str, say: Callable[[str], str] = sent_date) -> str:
    """From one FHIR date to another, without repeating what they share: March 4 to 9, 2019; March 4 to May 6, 2019.
    `say` puts each of the two into words if nothing can be merged, perhaps with its clock time."""
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
    """A FHIR date as a beginning without an end: From March 4, 2019 on."""
    words = gettext("From %(start)s on") if is_a_day(sent) else pgettext("a month or a year", "From %(start)s on")
    return words % {"start": say(sent)}


def sent_until(sent: str, say: Callable[[str], str] = sent_date) -> str:
    """A FHIR date after "until": Until March 4, 2019."""
    words = gettext("Until %(date)s") if is_a_day(sent) else pgettext("a month or a year", "Until %(date)s")
    return words % {"date": say(sent)}


def sent_on(sent: str) -> str:
    """A FHIR date within a sentence: on March 4, 2019; in March 2019. If none was sent: on a date not given."""
    if not sent:
        return gettext("on a date not given")
    return (gettext("on %(date)s") if is_a_day(sent) else gettext("in %(date)s")) % {"date": sent_date(sent)}


def is_a_day(sent: str) -> bool:
    """Whether the date is exact to the day: in Spanish a day has an article, and a month has none."""
    parsed = datetimes.parse(sent) if sent else None
    return parsed is not None and parsed.precision >= Precision.DAY


def _have_clocks(starts: str, ends: str, say: Callable[[str], str]) -> bool:
    """Whether `say` shows more than the date for either of them."""
    if getattr(say, "__func__", say) in {sent_date, Calendar.sent_date}:  # a shortcut, for pages with many dates
        return False
    return any(say(sent) != sent_date(sent) for sent in (starts, ends))


# Keyed by whether the start is a day, and whether the end is: in Spanish a day has an article, and a month has none.
_BETWEEN: Final[Mapping[tuple[bool, bool], str | Promise]] = {
    (True, True): _("%(start)s to %(end)s"),
    (True, False): pgettext_lazy("from a day to a month or a year", "%(start)s to %(end)s"),
    (False, True): pgettext_lazy("from a month or a year to a day", "%(start)s to %(end)s"),
    (False, False): pgettext_lazy("from a month or a year to another", "%(start)s to %(end)s"),
}


def year(sent: str) -> str:
    """The year that `sent_date` shows; empty if the text is not a date."""
    parsed = datetimes.parse(sent) if sent else None
    return "" if parsed is None else f"{Calendar().told_day(parsed, sent).year:04}"


def last_day(sent: str) -> date | None:
    """The last day that the date can mean; for a moment, the day that `sent_date` shows. None if it is not a date."""
    parsed = datetimes.parse(sent)
    if parsed is None:
        return None
    return Calendar().told_day(parsed, sent) if parsed.precision is Precision.MOMENT else parsed.last_day


def sent_moment(sent: str) -> str:
    """A FHIR date with its clock time, if one was sent: as the writer's clock showed it, or in the reader's zone if it
    was sent in UTC. Midnight, in UTC or on the writer's clock, counts as no clock time: most systems write it if they
    know only the day, and readers cannot tell to which night a midnight belongs."""
    return Calendar().sent_moment(sent)


def sent_clock(sent: str) -> str:
    """The clock time alone, even midnight on the writer's clock; empty if none was sent."""
    return Calendar().sent_clock(sent)


def sent_time(sent: str) -> str:
    """A FHIR time of day as a person reads it: 10:30 p.m. Any other text stays as sent."""
    found = _TIME.fullmatch(sent)
    return sent if found is None else _clock_in(time(int(found[1]), int(found[2])), get_language() or "")


def day(moment: datetime) -> str:
    """The day of one of our own moments, in the reader's zone: May 3, 2026."""
    return _day(timezone.localtime(moment).date())


def when(moment: datetime, *, now: datetime) -> str:
    """One of our own moments, as it follows "checked": today at 9:40 a.m. UTC; on May 3, 2026."""
    local = timezone.localtime(moment)
    if local.date() == timezone.localtime(now).date():
        is_one = local.hour % 12 == 1  # one o'clock has an article of its own in Spanish
        at = pgettext("one o'clock", "today at %(time)s") if is_one else gettext("today at %(time)s")
        return at % {"time": time_of_day(moment)}
    return gettext("on %(date)s") % {"date": _day(local.date())}


def time_of_day(moment: datetime) -> str:
    """The clock time of one of our own moments, as `time_zones.clock` writes it."""
    return time_zones.clock(timezone.localtime(moment))


def _clock_of(sent: str) -> time:
    """The hour and minute as written."""
    hour, minute = sent.strip().partition("T")[2][:5].split(":")
    return time(int(hour), int(minute))


def _day(value: date) -> str:
    return _day_in(value, get_language() or "")


@lru_cache(maxsize=_DAYS_KEPT)
def _day_in(value: date, _language: str) -> str:
    """Cached: a list has a day in each row, and writing it takes as long as the rest of the row. A day alone identifies
    nobody."""
    return formats.date_format(value, "DATE_FORMAT")


@lru_cache(maxsize=_DAYS_KEPT)
def _days_in(first: date, last: date, _language: str) -> str:
    """Two days, the earlier one first; cached like `_day_in`."""
    if first.year != last.year:
        return gettext("%(first)s to %(last)s") % {"first": _day(first), "last": _day(last)}
    parts = {"month": formats.date_format(first, "F"), "first": first.day, "last": last.day, "year": first.year}
    if first.month == last.month:
        return gettext("%(month)s %(first)s to %(last)s, %(year)s") % parts
    days = (formats.date_format(day, "MONTH_DAY_FORMAT") for day in (first, last))
    return gettext("%(first)s to %(last)s, %(year)s") % {**parts, **dict(zip(("first", "last"), days, strict=True))}


@lru_cache(maxsize=_DAYS_KEPT)
def _months_in(first: date, last: date, _language: str) -> str:
    """Two months, the earlier one first; cached like `_day_in`."""
    written = "F" if first.year == last.year else "YEAR_MONTH_FORMAT"
    parts = {"first_month": formats.date_format(first, written), "last_month": formats.date_format(last, written)}
    if first.year != last.year:
        return gettext("%(first_month)s to %(last_month)s") % parts
    return gettext("%(first_month)s to %(last_month)s %(year)s") % {**parts, "year": first.year}


@lru_cache(maxsize=_MINUTES_KEPT)
def _clock_in(value: time, _language: str) -> str:
    """A clock time to the minute; cached like `_day_in`, and without its day it identifies nobody either."""
    return str(formats.time_format(value, "TIME_FORMAT"))
