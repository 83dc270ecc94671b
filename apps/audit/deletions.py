"""What people deleted, on its way from the database into the deletion ledger outside it.

`note` adds a row in the transaction that deletes, so that neither is there without the other. After the commit the row
is written out, and dropped when the ledger has it on its disk. Where that cannot be done at once, or a process died
between the two, the schedule does it: a deletion may stand in the ledger twice, and is never missing from it.
"""

import logging
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from apps.audit import deletion_ledger
from apps.audit.deletion_ledger import Deleted
from apps.audit.models import AuditEvent, Deletion, EventType

_LOG = logging.getLogger(__name__)

# What somebody decided. What a time limit deletes is deleted again by the same limit, whatever backup was restored.
LASTING = frozenset(
    {
        EventType.CONNECTION_DECLINED,
        EventType.CONNECTION_DISCONNECTED,
        EventType.RECORD_FORGOTTEN,
        EventType.ACCOUNT_CLOSED,
    }
)
BATCH = 500


def note(event: AuditEvent) -> None:
    """This event deletes something: the ledger shall have it as soon as the caller's transaction is committed. Raises
    ValueError where it names nobody."""
    if event.user_id is None:
        raise ValueError("A deletion concerns a user.")
    Deletion.objects.create(
        event=event.event,
        at=event.at,
        user_id=event.user_id,
        connection_id=UUID(event.subject_id) if event.subject == "connection" else None,
    )
    transaction.on_commit(write_out, robust=True)


def write_out() -> int:
    """Write what waits into the ledger; returns how many were written. Nothing is done where no ledger is configured:
    what waits then waits until one is. Raises nothing where it cannot be written: the log says so, and it is tried
    again."""
    path: Path | None = settings.DELETION_LEDGER
    written = 0
    while path is not None and (count := _write_batch(path)):
        written += count
    return written


def are_waiting() -> bool:
    """Whether something is not in the ledger yet."""
    return Deletion.objects.exists()


def oldest_at() -> datetime | None:
    """Since when the one that has waited longest is not in the ledger; None where nothing waits."""
    return Deletion.objects.order_by("at").values_list("at", flat=True).first()


@transaction.atomic
def _write_batch(path: Path) -> int:
    rows = list(Deletion.objects.select_for_update(skip_locked=True).order_by("at", "pk")[:BATCH])
    if not rows:
        return 0
    try:
        deletion_ledger.append(path, [_deleted(row) for row in rows])
    except OSError as error:
        _LOG.error("The deletion ledger cannot be written: %s", type(error).__name__)
        return 0
    Deletion.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _deleted(row: Deletion) -> Deleted:
    return Deleted(EventType(row.event), row.at, row.user_id, row.connection_id)
