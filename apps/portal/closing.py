"""Close an account: end connections and shares, delete copies, destroy the key that opens them, then delete the
account.

All of it is one transaction. A crash before it commits leaves everything as it was, tokens included, and the patient
still signed in: the next press does it all. After a crash later the account is gone, and only the last mail may be
lost. It cannot be sent later, because nothing remembers the address any more, which is the point of closing.

Providers are told by a task. What it needs is sealed for the installation, with ids and without a name, and deleted
once they have confirmed, or after a day.

What stays is the audit log, which names the account by its id, and the tombstone of the key, which keeps work that is
still in progress from creating a new one. Half-finished sign-ins in other browsers contain the address in their own
session until that ends, within SESSION_COOKIE_AGE.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.accounts import mailing, removing
from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.connections.ending import disconnecting
from apps.connections.models import Connection
from apps.records import deleting_copies
from apps.records.models import Record, SyncRun
from apps.records.viewing import counting
from apps.sharing import ending
from apps.vault import shredding
from apps.vault.holders import Holder

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class AtStake:
    """What closing would end and delete, for the page that asks: how many connections and open shares, whether there
    are copies, and how many entries lists show of them. `entries` is None if that cannot be determined."""

    connections: int
    has_copies: bool
    entries: int | None
    shares: int


@dataclass(frozen=True)
class Closed:
    """The result: how many providers are told, and how many cannot be told. Of the latter, the person may want to
    remove us in the provider's portal."""

    told: int
    untold: int


def at_stake(user: User, *, at: datetime) -> AtStake:
    """What closing would end now, including copies of connections that are over."""
    return AtStake(
        connections=user.connections.living().count(),
        has_copies=Record.objects.filter(user=user).exists(),
        entries=counting.listed(user.pk),
        shares=user.shares.open(at=at).count(),
    )


def close(user: User, *, at: datetime) -> Closed:
    """Close the account for good. Calling it again changes nothing, even from two tabs at once.

    After the transaction, the person gets our last mail; if that fails, nothing is undone. Edges then enqueue telling
    the providers.
    """
    leaving, closed = _close(user.pk, at=at)
    if leaving is not None:
        _say_goodbye(leaving, at=at)
    return closed


def close_again(user_id: UUID, *, at: datetime) -> None:
    """The same without mail: for an account that was closed before, and came back with a backup."""
    _close(user_id, at=at)


def _close(user_id: UUID, *, at: datetime) -> tuple[User | None, Closed]:
    """The account as it was before, or None if it was closed already, and the result."""
    with transaction.atomic(durable=True):
        leaving = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
        if leaving is None:
            return None, Closed(told=0, untold=0)
        connections = _hold_connections(leaving)
        ending.forget(leaving)
        for connection in connections:
            deleting_copies.forget(connection, actor=Actor.user(leaving.pk), at=at)
        are_told = [disconnecting.end(connection, at=at) for connection in connections]
        shredding.shred(Holder.user(leaving.pk))
        removing.remove(leaving, at=at)
    return leaving, Closed(told=are_told.count(True), untold=are_told.count(False))


def _hold_connections(user: User) -> Sequence[Connection]:
    """Lock every connection of the user, and its runs, until the transaction ends.

    Runs first: a worker in the middle of a page holds its run's row and then locks the connection's and the user's, so
    the other order would deadlock. For the same reason the user's own row is locked without its key.
    """
    list(SyncRun.objects.select_for_update().filter(user=user).order_by("pk").values_list("pk"))
    return list(user.connections.select_for_update().order_by("pk"))


def _say_goodbye(user: User, *, at: datetime) -> None:
    """Our last mail, in their language. If the mail server is down, closing must still be reported as done."""
    try:
        mailing.send("portal/email/account_deleted", to=user.email, context={"user": user, "at": at})
    except OSError as error:  # smtplib's errors are of this kind
        _LOG.warning("The mail about a closed account was not sent: %s", mailing.kind(error))
