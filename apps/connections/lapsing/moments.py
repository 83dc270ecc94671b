"""When a warning is sent. Pure: moments in, moments out.

As many hours before the end as its reader chose, and not while they sleep: between 9 p.m. and 8 a.m. it waits for the
morning, where the morning leaves time enough, and otherwise comes the evening before (patient experience, section 6).
"""

from datetime import UTC, datetime, time, timedelta, tzinfo

QUIET_FROM = time(21)
QUIET_UNTIL = time(8)
LEAST_LEFT = timedelta(hours=2)  # to find the password, and to sign in
AFTER_AN_END = timedelta(minutes=10)  # a late success may still undo it, and others may end with it
_EVENING = time(20, 30)


def before_end(ends_at: datetime, *, hours_before: int, signed_in_at: datetime, zone: tzinfo) -> datetime | None:
    """When to warn of an end that is known; None where it was that near already when its patient signed in, and read
    of it on the page."""
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
    """When to tell of an end that nobody knew before."""
    wished = ended_at + AFTER_AN_END
    return end_of_quiet(wished, zone) if is_quiet(wished, zone) else wished


def is_quiet(moment: datetime, zone: tzinfo) -> bool:
    """Whether people sleep there."""
    clock = moment.astimezone(zone).time()
    return clock >= QUIET_FROM or clock < QUIET_UNTIL


def end_of_quiet(moment: datetime, zone: tzinfo) -> datetime:
    """The morning that ends the night this moment is in."""
    local = moment.astimezone(zone)
    day = local.date() + timedelta(days=1) if local.time() >= QUIET_FROM else local.date()
    return datetime.combine(day, QUIET_UNTIL, tzinfo=zone).astimezone(UTC)


def next_morning(moment: datetime, zone: tzinfo) -> datetime:
    """When the next quiet hours end there, those too that this moment is in."""
    local = moment.astimezone(zone)
    day = local.date() + timedelta(days=1) if local.time() >= QUIET_UNTIL else local.date()
    return datetime.combine(day, QUIET_UNTIL, tzinfo=zone).astimezone(UTC)


def _evening_before(morning: datetime, zone: tzinfo) -> datetime:
    day_before = morning.astimezone(zone).date() - timedelta(days=1)
    return datetime.combine(day_before, _EVENING, tzinfo=zone).astimezone(UTC)
