"""When a link's tokens end, and when beat should refresh them. Pure functions of times.

What a refresh gains decides. A server that rotates gives a new window with each refresh token: it is exchanged at about
half the window, which leaves the other half for an outage and for catching up. A server that does not rotate gives
nothing: the window counts from the sign-in, the link has a known end, and beat leaves it alone (syncing refreshes it
anyway, and notices if the server has begun to rotate). Until either was observed, one early refresh finds out. Idle
limits count from the last use: a refresh before a third of the limit restores all of it.

Each link's due time lies at its own share, derived from its id, of the range in which it may fall due. So links made
together spread out, more with each refresh, and nothing random is stored. No time depends on another link.

If a patient ends a permission at the provider, the next refresh or data call notices. On interface A that is at most 24
hours away: half of its window, and the interval of the daily sync.
"""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.connections.refreshing.policy import LONGEST_WITHOUT_REFRESH_TOKEN, Policy

OUTAGE = timedelta(hours=20)  # of a provider or ours, that must not cost a link
CATCHING_UP = timedelta(hours=1)  # after it
_OF_A_WINDOW = (3 / 8, 1 / 2)  # of 48 hours: from 18 to 24
_MOST_REFRESHES = 6  # at most, within a window that is too short for such an outage
_TO_FIND_OUT = (1 / 24, 1 / 12)  # of 48 hours: from two to four, so that patients hear of a known end the same day
_OF_AN_IDLE_LIMIT = (1 / 4, 8 / 25)  # of 92 days: from 23 to 29.4


@dataclass(frozen=True)
class Times:
    """The times of one link's tokens; None if there is none, or it is unknown."""

    access_expires_at: datetime
    not_before_at: datetime
    refresh_issued_at: datetime | None
    refresh_used_at: datetime | None
    refresh_deadline_at: datetime | None
    refresh_due_at: datetime | None
    lapses_at: datetime | None  # the connection's: an end that nothing we do can prolong

    @property
    def columns(self) -> dict[str, Any]:
        """The StoredTokenSet's columns; an earlier parking is over."""
        return {**{name: getattr(self, name) for name in _COLUMNS}, "parked_endpoint_id": None}


_COLUMNS = tuple(field.name for field in fields(Times) if field.name != "lapses_at")


def times(
    policy: Policy,
    *,
    connection_id: UUID,
    at: datetime,
    expires_in_seconds: int | None,
    refresh_issued_at: datetime | None,
) -> Times:
    """After an exchange or refresh that was sent at `at` and succeeded.

    `refresh_issued_at`: when our current refresh token was requested: `at` if this response brought it, earlier if it
    brought none and the old one is still used, None if there is none.

    `expires_in_seconds` is believed only up to a plausible limit. A token that is refused earlier is refreshed then
    (`access_tokens`), but one that is believed for a year would hide for a year that its permission ended.
    """
    longest = LONGEST_WITHOUT_REFRESH_TOKEN if refresh_issued_at is None else policy.longest_lifetime
    said = None if expires_in_seconds is None else min(timedelta(seconds=expires_in_seconds), longest)
    access_expires_at, not_before_at = at + (said or policy.assumed_lifetime), at + policy.floor
    if refresh_issued_at is None:
        return Times(access_expires_at, not_before_at, None, None, None, None, lapses_at=access_expires_at)
    window_ends_at = refresh_issued_at + policy.window if policy.window else None
    idle_ends_at = at + policy.idle_limit if policy.idle_limit else None
    due_at = _due_at(policy, share(connection_id), refresh_issued_at, window_ends_at, at, idle_ends_at)
    return Times(
        access_expires_at=access_expires_at,
        not_before_at=not_before_at,
        refresh_issued_at=refresh_issued_at,
        refresh_used_at=at,
        refresh_deadline_at=_earliest(window_ends_at, idle_ends_at),
        refresh_due_at=due_at and max(due_at, not_before_at),
        lapses_at=window_ends_at if policy.rotates is False else None,
    )


def share(connection_id: UUID) -> float:
    """A link's position between 0 and 1 among all links; the low bits of a random UUID are random."""
    return (connection_id.int & 0xFFFFFFFF) / 2**32


def _due_at(
    policy: Policy,
    share: float,
    issued_at: datetime,
    window_ends_at: datetime | None,
    used_at: datetime,
    idle_ends_at: datetime | None,
) -> datetime | None:
    """None if a refresh by beat gains nothing."""
    if policy.is_session_bound:
        return None
    of_window = issued_at + _until_refresh(policy, policy.window, share) if policy.window else None
    of_idling = used_at + _between(_OF_AN_IDLE_LIMIT, share) * policy.idle_limit if policy.idle_limit else None
    if policy.rotates is False:  # only an idle limit that ends before the window does is worth a refresh
        is_over_before = window_ends_at is not None and (idle_ends_at is None or window_ends_at <= idle_ends_at)
        return None if is_over_before else of_idling
    return _earliest(of_window, of_idling)


def _until_refresh(policy: Policy, window: timedelta, share: float) -> timedelta:
    """How long after it was requested a refresh token with a window is exchanged."""
    if policy.rotates is None:
        return _between(_TO_FIND_OUT, share) * window
    earliest, latest = _OF_A_WINDOW
    latest_with_room = max(window / _MOST_REFRESHES, min(latest * window, window - OUTAGE - CATCHING_UP))
    return latest_with_room * _between((earliest / latest, 1), share)


def _between(bounds: tuple[float, float], share: float) -> float:
    low, high = bounds
    return low + (high - low) * share


def _earliest(*moments: datetime | None) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
