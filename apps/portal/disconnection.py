"""Disconnect from a provider: end the connection, and delete the copy or keep it, as the patient chose.

Deleting a copy also deletes the connection's row, which names the person. Copies are deleted first: a worker in the
middle of a page holds its run's row and then locks the connection's, so the other order would deadlock.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.connections.authorization_responses import candidates
from apps.connections.ending import disconnecting
from apps.connections.models import Connection
from apps.records import deleting_copies
from apps.vault.errors import VaultError


@dataclass(frozen=True)
class Disconnected:
    """The result. If the provider cannot be told, the patient may want to remove us there too. None if there was
    nothing left to tell, because an earlier press had done it."""

    provider_is_told: bool | None
    keeps_copy: bool


def whose(connection: Connection) -> str:
    """The name of the person whose record it is: one provider may have a parent's and a child's. Empty if it does not
    open: disconnecting must work without a key."""
    try:
        person = candidates.find_people(connection.user_id, [connection]).get(connection.pk)
    except VaultError:
        return ""
    return person.name if person else ""


def disconnect(connection: Connection, *, keeps_copy: bool, at: datetime) -> Disconnected:
    """End the connection and, if the copy is not kept, delete everything that was copied, in one transaction. Calling
    it again changes nothing.

    When this returns, the tokens are gone. Edges then enqueue telling the provider.
    """
    with transaction.atomic():
        if not keeps_copy:
            _forget(connection, at=at)
        is_told = disconnecting.end(connection, at=at)
        if not keeps_copy:
            _remove(connection)
    return Disconnected(provider_is_told=is_told, keeps_copy=keeps_copy)


def delete_copy(connection: Connection, *, at: datetime) -> None:
    """Delete the copy of a connection that is over, and the connection."""
    with transaction.atomic():
        _forget(connection, at=at)
        _remove(connection)


def _forget(connection: Connection, *, at: datetime) -> None:
    deleting_copies.forget(connection, actor=Actor.user(connection.user_id), at=at)


def _remove(connection: Connection) -> None:
    """Also removes what a run that began a moment ago has stored since."""
    Connection.objects.filter(pk=connection.pk).delete()
