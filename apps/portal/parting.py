"""Part from a provider: end the connection, and let the copy go or stay, as the patient chose.

A copy that goes takes the connection's row with it, which names the person. Copies go first: a worker in the middle of
a page holds its run's row and then asks for the connection's, so whoever took them the other way round would stand in
its way for ever.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.connections import disconnecting
from apps.connections.models import Connection
from apps.records import forgetting


@dataclass(frozen=True)
class Parted:
    """What came of it. Where the provider did not confirm, the patient may want to remove us there too; None where
    there was nothing left to confirm, because an earlier press had seen to it."""

    is_revoked_at_provider: bool | None
    keeps_copy: bool


def disconnect(connection: Connection, *, keeps_copy: bool, at: datetime) -> Parted:
    """End the connection, and delete all that was copied where the copy is not kept, both or neither. Twice is as once.

    The tokens are gone when this returns, whatever the provider answers. Speaks to the network after its transaction.
    """
    with transaction.atomic():
        if not keeps_copy:
            _forget(connection, at=at)
        token = disconnecting.end(connection, at=at)
        if not keeps_copy:
            _remove(connection)
    is_revoked = None if token is None else disconnecting.tell_provider(connection, token, at=at)
    return Parted(is_revoked_at_provider=is_revoked, keeps_copy=keeps_copy)


def delete_copy(connection: Connection, *, at: datetime) -> int:
    """Delete what was kept of a connection that is over, and the connection; returns how many entries went."""
    with transaction.atomic():
        entries = _forget(connection, at=at)
        _remove(connection)
    return entries


def _forget(connection: Connection, *, at: datetime) -> int:
    return forgetting.forget(connection, actor=Actor.user(connection.user_id), at=at).records


def _remove(connection: Connection) -> None:
    """With whatever a run that began a moment ago has brought since."""
    Connection.objects.filter(pk=connection.pk).delete()
