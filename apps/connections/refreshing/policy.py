"""A server's limits for one link's refresh token, as data.

The sources of the values are in `apps.wire.dialects`; a client registration may override them.
"""

from dataclasses import dataclass
from datetime import timedelta

from apps.connections.models import Connection
from apps.directory import reaching
from apps.directory.models import ClientRegistration
from apps.wire.dialects import Dialect

MARGIN = timedelta(seconds=30)  # an access token this close to its expiry is no longer used (specification 7.2)
LONGEST_WITHOUT_REFRESH_TOKEN = timedelta(days=1)  # the longest lifetime that is believed if there is no refresh token
ON_ITS_WAY = timedelta(seconds=1)  # how much longer one request may travel than the next

_ONLINE = ClientRegistration.RefreshScope.ONLINE.value
_OFFLINE = ClientRegistration.RefreshScope.OFFLINE.value


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits of one link. None: there is no such limit, or none is published."""

    window: timedelta | None  # a refresh token dies so long after it was asked for, however often it is used
    idle_limit: timedelta | None  # a refresh token dies so long after it was last used
    floor: timedelta  # from sending one refresh to sending the next, at least
    assumed_lifetime: timedelta  # of an access token that comes without expires_in
    longest_lifetime: timedelta  # that is believed of one which can be renewed
    is_session_bound: bool  # it ends with the session at the provider, whatever we do
    rotates: bool | None  # whether a refresh brings a new refresh token, with a window of its own; None until seen


def of(connection: Connection) -> Policy:
    """The limits of this link, from its endpoint, registration and granted scope as they are loaded.

    `rotates` is what was last observed for the registration. A caller that has this link's own response knows better.
    """
    dialect = reaching.dialect(connection.endpoint, connection.registration)
    return told(
        dialect,
        granted_scope=connection.granted_scope,
        rotates=connection.registration.rotates_refresh_tokens,
    )


def told(dialect: Dialect, *, granted_scope: str, rotates: bool | None) -> Policy:
    """The same, from its parts. The idle limit is published for `offline_access`, and applies whenever a refresh token
    came without either scope; a session ends long before (specification 5.2.3)."""
    granted = set(granted_scope.split())
    is_session_bound = _ONLINE in granted and _OFFLINE not in granted
    hours, days = dialect.refresh_window_hours, dialect.idle_limit_days
    return Policy(
        window=None if hours is None else timedelta(hours=hours),
        idle_limit=None if days is None or is_session_bound else timedelta(days=days),
        floor=_floor(dialect.minimum_refresh_interval_seconds),
        assumed_lifetime=timedelta(seconds=dialect.assumed_lifetime_seconds),
        longest_lifetime=timedelta(seconds=dialect.longest_lifetime_seconds),
        is_session_bound=is_session_bound,
        rotates=rotates,
    )


def _floor(seconds: int) -> timedelta:
    """A server counts from the arrival of a request, and one request may take longer to arrive than the next."""
    return timedelta(seconds=seconds) + ON_ITS_WAY if seconds else timedelta(0)
