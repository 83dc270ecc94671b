"""The sandbox's clock: real time plus an offset. Nothing here sleeps; moving 48 hours ahead takes no time.

The offset is a database row, so that a restart does not turn time back. It is cached in the process, since the sandbox
is one process with many threads.
"""

from datetime import UTC, datetime, timedelta

from apps.sandbox.models import ClockOffset

_cached: dict[str, timedelta] = {}


def now() -> datetime:
    """The sandbox's time, aware, in UTC."""
    return datetime.now(UTC) + offset()


def offset() -> timedelta:
    """How far the sandbox's time is ahead of real time."""
    known = _cached.get("offset")
    if known is None:
        row = ClockOffset.objects.filter(id=1).first()
        known = _cached["offset"] = row.offset if row else timedelta()
    return known


def move(seconds: float) -> datetime:
    """Move the clock by so many seconds (back, if negative), and return the new time."""
    _keep(offset() + timedelta(seconds=seconds))
    return now()


def set_to(at: datetime) -> datetime:
    """Set the clock to `at` (aware); it keeps ticking from there."""
    _keep(at - datetime.now(UTC))
    return now()


def reset() -> None:
    """Back to real time."""
    _keep(timedelta())


def forget() -> None:
    """Read the row again next time: a test's database was rolled back."""
    _cached.clear()


def _keep(value: timedelta) -> None:
    ClockOffset.objects.update_or_create(id=1, defaults={"offset": value})
    _cached["offset"] = value
