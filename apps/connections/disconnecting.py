"""Disconnect: the patient ends a connection here. We forget its tokens at once, and then tell the provider.

What was copied is not ours to keep or delete: `apps.portal.parting` and `apps.portal.closing` ask both apps.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import noting, refreshing, revoking
from apps.connections.models import Connection
from apps.wire.secret import Secret

# For all providers together. One call ends after ten seconds, and a browser should not be kept for a minute.
TELLING_SECONDS = 20


@dataclass(frozen=True, repr=False)
class Ended:
    """A connection that was ended here, and the token its provider has yet to be told about."""

    connection: Connection
    token: Secret


def end(connection: Connection, *, at: datetime) -> Secret | None:
    """Drop the tokens and end the connection; returns the token to give to `tell_provider`. Twice is as once."""
    with transaction.atomic():
        locked = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if locked is None:  # ended with its copy, in another tab
            return None
        token = refreshing.forget(locked)
        if locked.status != Connection.Status.DISCONNECTED:
            locked.disconnect(at=at)
            noting.note_connection(EventType.CONNECTION_DISCONNECTED, locked, at=at)
    return token


def end_all(connections: Iterable[Connection], *, at: datetime) -> list[Ended]:
    """As `end`, for several at once; returns those that had a token, for `tell_providers`."""
    tokens = [(connection, end(connection, at=at)) for connection in connections]
    return [Ended(connection, token) for connection, token in tokens if token is not None]


def tell_provider(connection: Connection, token: Secret | None, *, at: datetime) -> bool:
    """Whether the provider confirmed that the permission ended. Speaks to the network: call it when all is written."""
    return revoking.revoke_for(connection, token, actor=Actor.user(connection.user_id), at=at)


def tell_providers(ended: Iterable[Ended], *, at: datetime) -> int:
    """As `tell_provider`, one after the other; returns how many did not confirm. After TELLING_SECONDS no further one
    is asked: however many do not answer, this ends within that time and one call."""
    stop_at = time.monotonic() + TELLING_SECONDS
    is_told = [time.monotonic() < stop_at and tell_provider(one.connection, one.token, at=at) for one in ended]
    return is_told.count(False)
