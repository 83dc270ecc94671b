"""An access token that one worker uses repeatedly, such as for the pages of a copy.

It is decrypted once and checked before each use: one statement says whether it is still the current one, and whether
the link was ended or switched off meanwhile. If anything changed, `access_tokens` provides a token.
"""

from datetime import datetime

from django.db import connection as database

from apps.connections.models import Connection
from apps.connections.refreshing import access_tokens, policy
from apps.wire.secret import Secret

# Raw SQL, because each request of a copy runs it, and the ORM takes eight times as long to build it as to run it.
_AS_IT_IS = """
SELECT stored.generation, stored.access_expires_at
FROM connections_storedtokenset AS stored
JOIN connections_connection AS connection ON connection.id = stored.connection_id
JOIN directory_endpoint AS endpoint ON endpoint.id = connection.endpoint_id
JOIN directory_clientregistration AS registration ON registration.id = connection.registration_id
WHERE stored.connection_id = %s AND connection.status = %s AND endpoint.is_switched_on AND registration.is_switched_on
"""

_State = tuple[int, datetime | None]


class CachedToken:
    """The token of one connection. For one thread, and for no longer than one piece of work."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._token: Secret | None = None
        self._state: _State | None = None

    def __repr__(self) -> str:
        """Reveal nothing."""
        return "<CachedToken>"

    def usable(self, *, at: datetime, refused: Secret | None = None) -> Secret:
        """As `access_tokens.usable_token`, which says what it raises."""
        before = self._found()
        if self._token is not None and refused is None and before == self._state and _lives(before, at=at):
            return self._token
        token = access_tokens.usable_token(self._connection, at=at, refused=refused)
        # If it was refreshed meanwhile, it is unknown which one this is, so it is decrypted again next time.
        self._token, self._state = (token, before) if before is not None and self._found() == before else (None, None)
        return token

    def _found(self) -> _State | None:
        """The current token set's state; None if none may be used."""
        with database.cursor() as cursor:
            cursor.execute(_AS_IT_IS, [self._connection.pk, Connection.Status.ACTIVE.value])
            found: _State | None = cursor.fetchone()
        return found


def _lives(state: _State | None, *, at: datetime) -> bool:
    return state is not None and state[1] is not None and at < state[1] - policy.MARGIN
