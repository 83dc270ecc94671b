"""Warn somebody whose session is about to end, and let them extend it (WCAG 2.2, success criterion 2.2.1).

A session ends `SESSION_COOKIE_AGE` after it was last saved, and most pages do not save it. So somebody who only reads
is warned on every page during the last minutes. No script counts down: the sentence says until what time. A session
cannot be extended beyond `SESSION_LONGEST` after signing in, so that whoever has stolen one does not have it for ever;
2.2.1 exempts limits of more than twenty hours.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone

from apps.accounts import sessions, time_zones

WARNED_FOR: Final = timedelta(minutes=15)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True)
class Ending:
    """When the session ends, in how many minutes (rounded up), and whether it can be extended."""

    at: datetime
    minutes: int
    can_be_kept: bool

    @property
    def clock(self) -> str:
        """When it ends, in the reader's time zone."""
        return time_zones.clock(timezone.localtime(self.at))


def of(session: SessionBase, *, now: datetime) -> Ending | None:
    """The end of the session if it is near; None if it is not, or if this request saves the session."""
    ends_at: datetime | None = getattr(session, "ends_at", None)  # only our own engine has it
    if ends_at is None or session.modified or not timedelta(0) < ends_at - now <= WARNED_FOR:
        return None
    return Ending(ends_at, -((now - ends_at) // _MINUTE), can_be_kept=_can_be_kept(session, ends_at))


def keep(session: SessionBase) -> bool:
    """Save the session at the end of this request, so that it lasts as long as a new one. False if it cannot be
    extended."""
    ends_at: datetime | None = getattr(session, "ends_at", None)
    session.modified = True
    return ends_at is None or _can_be_kept(session, ends_at)


def _can_be_kept(session: SessionBase, ends_at: datetime) -> bool:
    last_moment = sessions.last_moment(session)
    return last_moment is None or ends_at < last_moment
