"""When a session is about to end: its pages say so, and can keep it (WCAG 2.2, 2.2.1).

A session ends `SESSION_COOKIE_AGE` after something was last kept in it, which most pages do not. So whoever reads for
hours is warned on every page of the last minutes. No script counts down: the sentence says until what time. What ends
`SESSION_LONGEST` after signing in cannot be kept: who has got hold of a session shall not have it for ever, and a limit
of more than twenty hours need not give way.
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
    """When it ends, and in how many minutes from now, begun ones counted; and whether it could end later."""

    at: datetime
    minutes: int
    can_be_kept: bool

    @property
    def clock(self) -> str:
        """When it ends, by the clock of its reader."""
        return time_zones.clock(timezone.localtime(self.at))


def of(session: SessionBase, *, now: datetime) -> Ending | None:
    """The end of a session that is near; None while it is not, or where this request keeps the session anew."""
    ends_at: datetime | None = getattr(session, "ends_at", None)  # of our own engine alone
    if ends_at is None or session.modified or not timedelta(0) < ends_at - now <= WARNED_FOR:
        return None
    return Ending(ends_at, -((now - ends_at) // _MINUTE), can_be_kept=_can_be_kept(session, ends_at))


def keep(session: SessionBase) -> bool:
    """Have it saved as this request ends, and last as long as one that has just begun. False where it cannot."""
    ends_at: datetime | None = getattr(session, "ends_at", None)
    session.modified = True
    return ends_at is None or _can_be_kept(session, ends_at)


def _can_be_kept(session: SessionBase, ends_at: datetime) -> bool:
    last_moment = sessions.last_moment(session)
    return last_moment is None or ends_at < last_moment
