"""When a warning is sent. Pure functions of times.

It is sent as many hours before the end as its reader chose, but not at night: between 9 p.m. and 8 a.m. it waits for
the morning, if that leaves enough time, and otherwise is sent the evening before (patient experience, section 6).
"""

from datetime import UTC, datetime, time, timedelta, tzinfo

QUIET_FROM = time(21)
QUIET_UNTIL = time(8)
LEAST_LEFT = timedelta(hours=2)  # to find the password, and to sign in
AFTER_AN_END = timedelta(minutes=10)  # a late success may still undo it, and others may end with it
_EVENING = time(20, 30)


def before_end(ends_at: datetime, *, hours_before: int, signed_in_at: datetime, zone: tzinfo) -> datetime | None:
    """When to warn of a known end; None if the patient signed in so shortly before it that the page already said so."""
    wished = ends_at - timedelta(hours=hours_before)
    if wished <= signed_in_at:
        return None
    if not is_quiet(wished, zone):
        return wished
    morning = end_of_quiet(wished, zone)
    if morning <= ends_at - LEAST_LEFT:
        return morning
    evening = _evening_before(morning, zone)
    return evening if evening > signed_in_at else wished


def after_end(ended_at: datetime, *, zone: tzinfo) -> datetime:
    """When to tell of an end that was not known in advance."""
    wished = ended_at + AFTER_AN_END
    return end_of_quiet(wished, zone) if is_quiet(wished, zone) else wished


def is_quiet(moment: datetime, zone: tzinfo) -> bool:
    """Whether it is night there."""
    clock = moment.astimezone(zone).time()
    return clock >= QUIET_FROM or clock < QUIET_UNTIL


def end_of_quiet(moment: datetime, zone: tzinfo) -> datetime:
    """The end of the night that contains this moment."""
    local = moment.astimezone(zone)
    day = local.date() + timedelta(days=1) if local.time() >= QUIET_FROM else local.date()
    return datetime.combine(day, QUIET_UNTIL, tzinfo=zone).astimezone(UTC)


def next_morning(moment: datetime, zone: tzinfo) -> datetime:
    """The next end of a night there, also if this moment is within one."""
    local = moment.astimezone(zone)
    day = local.date() + timedelta(days=1) if local.time() >= QUIET_UNTIL else local.date()
    return datetime.combine(day, QUIET_UNTIL, tzinfo=zone).astimezone(UTC)


def _evening_before(morning: datetime, zone: tzinfo) -> datetime:
    day_before = morning.astimezone(zone).date() - timedelta(days=1)
    return datetime.combine(day_before, _EVENING, tzinfo=zone).astimezone(UTC)
