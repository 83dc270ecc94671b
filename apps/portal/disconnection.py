"""Disconnect from a provider: end the connection, and let the copy go or stay, as the patient chose.

A copy that goes takes the connection's row with it, which names the person. Copies go first: a worker in the middle of
a page holds its run's row and then asks for the connection's, so whoever took them the other way round would stand in
its way for ever.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.connections.answers import candidates
from apps.connections.ending import disconnecting
from apps.connections.models import Connection
from apps.records import forgetting
from apps.vault.errors import VaultError


@dataclass(frozen=True)
class Disconnected:
    """What came of it. Where the provider cannot be told, the patient may want to remove us there too; None where there
    was nothing left to tell, because an earlier press had seen to it."""

    provider_is_told: bool | None
    keeps_copy: bool


def whose(connection: Connection) -> str:
    """The person whose record it is, by name: one provider may keep a parent's and a child's. Empty where that does not
    open: who leaves may do so without a key, too."""
    try:
        person = candidates.find_people(connection.user_id, [connection]).get(connection.pk)
    except VaultError:
        return ""
    return person.name if person else ""


def disconnect(connection: Connection, *, keeps_copy: bool, at: datetime) -> Disconnected:
    """End the connection, and delete all that was copied where the copy is not kept, both or neither. Twice is as once.

    The tokens are gone when this returns. Edges then enqueue telling the provider.
    """
    with transaction.atomic():
        if not keeps_copy:
            _forget(connection, at=at)
        is_told = disconnecting.end(connection, at=at)
        if not keeps_copy:
            _remove(connection)
    return Disconnected(provider_is_told=is_told, keeps_copy=keeps_copy)


def delete_copy(connection: Connection, *, at: datetime) -> None:
    """Delete what was kept of a connection that is over, and the connection."""
    with transaction.atomic():
        _forget(connection, at=at)
        _remove(connection)


def _forget(connection: Connection, *, at: datetime) -> None:
    forgetting.forget(connection, actor=Actor.user(connection.user_id), at=at)


def _remove(connection: Connection) -> None:
    """With whatever a run that began a moment ago has brought since."""
    Connection.objects.filter(pk=connection.pk).delete()
