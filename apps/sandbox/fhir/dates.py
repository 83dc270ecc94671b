"""FHIR dates and times, possibly partial, as half-open intervals in UTC."""

import re
from datetime import UTC, datetime, timedelta, timezone

_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?", re.ASCII
)
Stretch = tuple[datetime, datetime]


def stretch(written: str) -> Stretch:
    """The interval that a date, a year, a month or a time means: `2025-03` is all of March. Without an offset it is
    UTC.

    Raises ValueError for anything else.
    """
    match = _DATE.fullmatch(written.strip().replace(" ", "+"))
    if match is None:
        raise ValueError("not a FHIR date")
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    if month is None:
        return datetime(int(year), 1, 1, tzinfo=UTC), datetime(int(year) + 1, 1, 1, tzinfo=UTC)
    start = datetime(int(year), int(month), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0),
                     tzinfo=_zone(offset))  # fmt: skip
    if day is None:
        following = datetime(int(year) + int(month) // 12, int(month) % 12 + 1, 1, tzinfo=UTC)
        return start, following
    if fraction:
        start += timedelta(seconds=float(fraction))
    start = start.astimezone(UTC)
    return start, start + _precision(hour, second, fraction)


def _precision(hour: str | None, second: str | None, fraction: str | None) -> timedelta:
    if hour is None:
        return timedelta(days=1)
    if second is None:
        return timedelta(minutes=1)
    return timedelta(milliseconds=1) if fraction else timedelta(seconds=1)


def _zone(offset: str | None) -> timezone:
    if offset is None or offset == "Z":
        return UTC
    sign = -1 if offset.startswith("-") else 1
    return timezone(sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:6])))
