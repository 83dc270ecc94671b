"""Repeat the deletions in the deletion ledger, in a database that was restored from a backup.

The same code deletes as the first time, with the original time, so that a person's activity reads as before. What is
gone already is skipped: the whole ledger is replayed, and may be replayed again. Closing an account again sends no
mail; providers are told again to end what the backup brought back.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from apps.accounts.models import User
from apps.audit import recording, restorations
from apps.audit.deletion_ledger import Deleted, Unreadable
from apps.audit.recording import Actor, EventType, Fact
from apps.connections import revoking
from apps.connections.callback import confirming
from apps.connections.models import Connection
from apps.portal import closing, disconnection
from apps.sharing import ending

CHUNK = 1000
_Status = Connection.Status
# For each kind of deletion, the statuses in which a connection still needs it.
_CONCERNED = {
    EventType.CONNECTION_DECLINED: {_Status.AWAITING_CONFIRMATION},
    EventType.CONNECTION_DISCONNECTED: set(_Status) - {_Status.DISCONNECTED},
    EventType.RECORD_FORGOTTEN: set(_Status),
}


@dataclass
class Replayed:
    """What the backup had brought back, by id; how many lines were read, and the numbers of those that were
    unreadable."""

    lines: int = 0
    accounts: set[UUID] = field(default_factory=set)
    connections: set[UUID] = field(default_factory=set)
    unreadable: list[int] = field(default_factory=list)


def replay(
    ledger: Iterable[Deleted | Unreadable], *, actor: Actor, at: datetime, is_restored: bool = False
) -> Replayed:
    """Delete again. Each deletion is its own transaction: if the run is interrupted, start it again.

    If anything was brought back, or the caller says so (`is_restored`), this database comes from a backup, and that is
    recorded: its tokens may be older than the providers' latest (`restorations`). If nothing was brought back, that
    proves nothing: the ledger may be replayed for the second time, or on a database that was never restored.
    """
    replayed = Replayed()
    for deleted in _brought_back(ledger, replayed):
        _delete(deleted)
    count = len(replayed.accounts) + len(replayed.connections)
    if count or is_restored:
        revoking.begin_again(at=at)
        ending.end_all(at=at)
        restorations.note(at=at)
    recording.record(EventType.DELETIONS_REPLAYED, actor=actor, at=at, facts={Fact.COUNT: count})
    return replayed


def rehearse(ledger: Iterable[Deleted | Unreadable]) -> Replayed:
    """What `replay` would delete; deletes nothing."""
    found = Replayed()
    for _deleted in _brought_back(ledger, found):
        pass
    return found


def _brought_back(ledger: Iterable[Deleted | Unreadable], seen: Replayed) -> Iterator[Deleted]:
    """The deletions that the database needs again; updates `seen`."""
    lines = iter(ledger)
    while chunk := list(itertools.islice(lines, CHUNK)):
        seen.lines += len(chunk)
        seen.unreadable += [line.line for line in chunk if isinstance(line, Unreadable)]
        readable = [line for line in chunk if isinstance(line, Deleted)]
        accounts, connections = _accounts(readable), _connections(readable)
        for deleted in readable:
            if deleted.connection_id is None and deleted.user_id in accounts:
                seen.accounts.add(deleted.user_id)
                yield deleted
            elif connections.get((deleted.connection_id, deleted.user_id)) in _CONCERNED.get(deleted.event, ()):
                assert deleted.connection_id is not None  # noqa: S101  it was found by it
                seen.connections.add(deleted.connection_id)
                yield deleted


def _accounts(deletions: Sequence[Deleted]) -> set[UUID]:
    ids = [deleted.user_id for deleted in deletions if deleted.event == EventType.ACCOUNT_CLOSED]
    return set(User.objects.filter(pk__in=ids).values_list("pk", flat=True))


def _connections(deletions: Sequence[Deleted]) -> dict[tuple[UUID | None, UUID], Connection.Status]:
    """Statuses at the start of the chunk, by connection and user."""
    ids = [deleted.connection_id for deleted in deletions if deleted.connection_id is not None]
    rows = Connection.objects.filter(pk__in=ids).values_list("pk", "user_id", "status")
    return {(pk, user_id): Connection.Status(status) for pk, user_id, status in rows}


def _delete(deleted: Deleted) -> None:
    """Does nothing if it was done already, perhaps by an earlier line of the same ledger."""
    if deleted.connection_id is None:
        closing.close_again(deleted.user_id, at=deleted.at)
        return
    connection = Connection.objects.filter(pk=deleted.connection_id, user_id=deleted.user_id).first()
    if connection is None:
        return
    if deleted.event == EventType.CONNECTION_DECLINED:
        confirming.decline(connection, at=deleted.at)
    else:
        disconnection.disconnect(
            connection, keeps_copy=deleted.event == EventType.CONNECTION_DISCONNECTED, at=deleted.at
        )
