"""Close an account: connections and shares end, copies go, the key that opens them is destroyed, and then the account
itself.

All of it is one transaction. A crash at any line before its end leaves everything as it was, tokens included, and the
patient still signed in: the next press does it all. A crash after it leaves an account that is gone; what is then lost
is the mail, which no later attempt could make up for: whoever remembered the address would not have forgotten it.

Providers are told by a task. What it needs is sealed for the installation, with ids and without a name, and dropped
when they confirmed or after a day.

What stays is the audit log, which names the account by its id, and the tombstone of the key, which keeps work that is
still under way from making a new one. Half-finished sign-ins in other browsers name the address in their own session
until that ends, within SESSION_COOKIE_AGE.
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
from apps.records import forgetting
from apps.records.models import Record, SyncRun
from apps.records.viewing import counting
from apps.sharing import ending
from apps.vault import shredding
from apps.vault.holders import Holder

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class AtStake:
    """What closing would end and delete, for the question: how many connections and open shares, whether anything is
    kept, and how many entries of that lists show. `entries` is None where they cannot tell."""

    connections: int
    has_copies: bool
    entries: int | None
    shares: int


@dataclass(frozen=True)
class Closed:
    """What came of it. Where providers cannot be told, the person may want to remove us there too."""

    told: int
    untold: int


def at_stake(user: User, *, at: datetime) -> AtStake:
    """How many connections still hold, and what is kept, of connections that are over as well."""
    return AtStake(
        connections=user.connections.living().count(),
        has_copies=Record.objects.filter(user=user).exists(),
        entries=counting.listed(user.pk),
        shares=user.shares.open(at=at).count(),
    )


def close(user: User, *, at: datetime) -> Closed:
    """Close it for good. Twice is as once, also from two tabs at the same time.

    When the transaction is over the person gets our last mail, which cannot undo what was done. Edges then enqueue
    telling the providers.
    """
    leaving, closed = _close(user.pk, at=at)
    if leaving is not None:
        _say_goodbye(leaving, at=at)
    return closed


def close_again(user_id: UUID, *, at: datetime) -> None:
    """The same without the mail: for an account that was closed before, and came back with a backup."""
    _close(user_id, at=at)


def _close(user_id: UUID, *, at: datetime) -> tuple[User | None, Closed]:
    """The account as it was a moment ago, or None where it was closed before, and what came of it."""
    with transaction.atomic(durable=True):
        leaving = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
        if leaving is None:
            return None, Closed(told=0, untold=0)
        connections = _hold_connections(leaving)
        ending.forget(leaving)
        for connection in connections:
            forgetting.forget(connection, actor=Actor.user(leaving.pk), at=at)
        are_told = [disconnecting.end(connection, at=at) for connection in connections]
        shredding.shred(Holder.user(leaving.pk))
        removing.remove(leaving, at=at)
    return leaving, Closed(told=are_told.count(True), untold=are_told.count(False))


def _hold_connections(user: User) -> Sequence[Connection]:
    """Every connection of the user, with its runs, locked to the end of the transaction.

    Runs first: a worker in the middle of a page holds its run's row and then asks for the connection's and the user's,
    so whoever took them the other way round would stand in its way for ever. For the same reason the user's own row was
    locked without its key.
    """
    list(SyncRun.objects.select_for_update().filter(user=user).order_by("pk").values_list("pk"))
    return list(user.connections.select_for_update().order_by("pk"))


def _say_goodbye(user: User, *, at: datetime) -> None:
    """Our last mail, in their language. A mail server that is down must not make it look as if nothing was done."""
    try:
        mailing.send("portal/email/account_deleted", to=user.email, context={"user": user, "at": at})
    except OSError as error:  # smtplib's errors are of this kind
        _LOG.warning("The mail about a closed account was not sent: %s", mailing.kind(error))
