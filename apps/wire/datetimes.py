"""Dates and times of FHIR, which can be a year, a month, a day, or a moment.

No precision is invented: 2019-05 stays a month. For sorting, `starts_at` is the first moment that it can mean. See FHIR
R4, section 2.24.0.1 (date, dateTime, instant), and DSTU2, section 1.14.
"""

import calendar
import re
from datetime import UTC, date, datetime, timedelta, timezone
from enum import IntEnum
from functools import lru_cache

import msgspec

_WRITTEN = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})"
    r"(?:T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,12}))?)?"
    r"(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?",
    re.ASCII,
)
_A_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_A_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-][0-9]{2}:[0-5][0-9])", re.ASCII
)  # nearly all moments are sent in this form
_DAYS_KEPT = 8192
_MOMENTS_KEPT = 128


class Precision(IntEnum):
    """How much is known."""

    YEAR = 1
    MONTH = 2
    DAY = 3
    MOMENT = 4


class FhirDateTime(msgspec.Struct, frozen=True, gc=False):
    """A date as precise as it was written.

    `first_day` is the day, or the first day of the month or year, in the writer's own time zone. `starts_at` is in UTC.
    A time without an offset, which FHIR forbids, counts as UTC, and `has_offset` is False.
    """

    precision: Precision
    first_day: date
    starts_at: datetime
    has_offset: bool

    @property
    def last_day(self) -> date:
        """The day, or the last day of the month or year, in the writer's own time zone."""
        if self.precision is Precision.YEAR:
            return self.first_day.replace(month=12, day=31)
        if self.precision is Precision.MONTH:
            return self.first_day.replace(day=calendar.monthrange(self.first_day.year, self.first_day.month)[1])
        return self.first_day


def parse(text: object) -> FhirDateTime | None:
    """The date in a FHIR element, or None if it is not a date. Never raises."""
    if not isinstance(text, str):
        return None
    if _A_DAY.fullmatch(text):
        return _day(text)
    return _moment(text) if _A_MOMENT.fullmatch(text) else _parsed(text)


@lru_cache(maxsize=_MOMENTS_KEPT)
def _moment(text: str) -> FhirDateTime | None:
    """The same as `_parsed`, in a third of the time: a page has a hundred moments, and reads each two or three times.
    The cache has only the few that were read last, and does not know whose they are."""
    try:
        at = datetime.fromisoformat(text)
        starts_at = at if at.tzinfo is UTC else at.astimezone(UTC)
        return FhirDateTime(Precision.MOMENT, first_day=at.date(), starts_at=starts_at, has_offset=True)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=_DAYS_KEPT)
def _day(text: str) -> FhirDateTime | None:
    """The same as `_parsed`, cached: a page reads the same days again and again, and a day does not say whose it is."""
    return _parsed(text)


def _parsed(text: str) -> FhirDateTime | None:
    written = _WRITTEN.fullmatch(text.strip())
    if written is None:
        return None
    try:
        first_day = date(int(written["year"]), int(written["month"] or 1), int(written["day"] or 1))
        return FhirDateTime(
            precision=_precision(written),
            first_day=first_day,
            starts_at=_starts_at(written, first_day),
            has_offset=written["offset"] is not None,
        )
    except (ValueError, OverflowError):  # 30 February; the first hour of year 1 east of Greenwich
        return None


def _precision(written: re.Match[str]) -> Precision:
    if written["hour"] is not None:
        return Precision.MOMENT
    if written["day"] is not None:
        return Precision.DAY
    return Precision.MONTH if written["month"] is not None else Precision.YEAR


def _starts_at(written: re.Match[str], first_day: date) -> datetime:
    hour, minute, second, fraction, offset = written.group("hour", "minute", "second", "fraction", "offset")
    if hour is None:
        return datetime(first_day.year, first_day.month, first_day.day, tzinfo=UTC)
    starts_at = datetime(
        first_day.year,
        first_day.month,
        first_day.day,
        int(hour),
        int(minute),
        59 if second == "60" else int(second or 0),  # a leap second is legal
        int(fraction[:6].ljust(6, "0")) if fraction else 0,
        tzinfo=_offset(offset),
    )
    return starts_at if starts_at.tzinfo is UTC else starts_at.astimezone(UTC)


def _offset(text: str | None) -> timezone:
    if text is None or text == "Z":
        return UTC
    length = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return timezone(-length if text.startswith("-") else length)
