"""Rebuild shelves that an earlier release built, a few connections at a time, so that nobody has to run a command for
it.

`Shelf.form` says which those are. A connection is claimed by a mark that is committed before anything of it is opened.
If its key is missing, or the worker dies, the mark stays, and for a while no other connection is started in its place:
a lost key stops this work instead of filling the log. Operators are told (`stuck`), and a day later it is tried again.
"""

import logging
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection as database
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from apps.connections.models import Connection
from apps.records.models import Shelf
from apps.records.shelving.indexing import FORM
from apps.vault.errors import Shredded, VaultError

MOST_AT_ONCE: Final = 2  # connections, over all workers
TOLD_AFTER: Final = timedelta(minutes=15)  # building takes a minute for a connection with fifty thousand entries
TRIED_AGAIN_AFTER: Final = timedelta(days=1)

_NEVER_TRIED: Final = Q(tried_at__isnull=True)
_TRIED_LONG_AGO: Final = Q(tried_at__lte=Now() - TRIED_AGAIN_AFTER)
_MOST_LOOKED_AT: Final = 200  # shelves; a connection has about fifteen
_ASKED_FOR: Final = -1  # sorts before every form: somebody is reading these now
_OLD_FORMS: Final = tuple(range(_ASKED_FOR, FORM))  # listed, so that the index is used: there may be millions

_LOG = logging.getLogger(__name__)

# A token refresh locks the row for a moment, and need not wait for shelves; deleting the connection does wait for them.
_HOLD: Final = "SELECT id FROM connections_connection WHERE id = %(connection)s FOR KEY SHARE"


def old() -> QuerySet[Shelf]:
    """The shelves that an earlier release built, and those that a page asked for."""
    return Shelf.objects.filter(form__in=_OLD_FORMS)


def count_old(*, most: int) -> int:
    """How many shelves are old, counted up to `most`."""
    return old()[:most].count()


def stuck(*, most: int) -> tuple[UUID, ...]:
    """Connections whose shelves were tried and are still old: their key is missing, workers died over them, or nothing
    of them opens. The oldest first, at most `most`."""
    tried = old().filter(tried_at__lte=Now() - TOLD_AFTER).order_by("tried_at", "pk")
    return tuple(dict.fromkeys(tried.values_list("connection_id", flat=True)[: most * 20]))[:most]


def ask_for(shelves: Iterable[int]) -> None:
    """Have these shelves, by their ids, rebuilt before those that nobody is looking at. One that is just being built is
    skipped, so that the caller does not wait for it."""
    wanted = tuple(shelves)
    if not wanted:
        return
    with transaction.atomic():
        found = Shelf.objects.filter(pk__in=wanted, form__gt=_ASKED_FOR)
        free = list(found.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True))
        Shelf.objects.filter(pk__in=free).update(form=_ASKED_FOR)


def claim() -> Connection | None:
    """Mark the connection whose old shelves come first as tried, and return it; None if there is none, or if enough are
    being worked on."""
    tried = old().filter(tried_at__gt=Now() - TOLD_AFTER)
    if tried.values("connection_id").distinct().count() >= MOST_AT_ONCE:
        return None
    for first in (_NEVER_TRIED, _TRIED_LONG_AGO):
        waiting = old().filter(first).order_by("form").values_list("connection_id", flat=True)[:_MOST_LOOKED_AT]
        claimed = next(filter(None, map(_claim, dict.fromkeys(waiting))), None)
        if claimed is not None:
            return claimed
    return None


def hold(connection: Connection) -> bool:
    """Keep the connection from being deleted until the end of the transaction; False if it is gone already."""
    values: Mapping[str, Any] = {"connection": connection.pk}
    with database.cursor() as cursor:
        cursor.execute(_HOLD, values)
        return cursor.fetchone() is not None


def tell(connection: Connection, error: VaultError) -> None:
    """Log that its shelves stay old, unless its account was closed."""
    if not isinstance(error, Shredded):
        _LOG.error("Old shelves cannot be built anew: connection %s, %s.", connection.pk, type(error).__name__)


@transaction.atomic
def _claim(connection_id: UUID) -> Connection | None:
    """Waits for nobody: a connection that another worker has locked is being worked on, and is found again next
    time."""
    rows = Connection.objects.select_for_update(no_key=True, skip_locked=True)
    connection = rows.filter(pk=connection_id).first()
    if connection is None:
        return None
    shelves = (
        old()
        .filter(_NEVER_TRIED | _TRIED_LONG_AGO, connection=connection)
        .select_for_update(no_key=True, skip_locked=True)
    )
    chosen = list(shelves.values_list("pk", flat=True))
    return connection if Shelf.objects.filter(pk__in=chosen).update(tried_at=Now()) else None
