"""Deletions on their way from the database into the deletion ledger outside it.

`note` adds a row in the transaction that deletes, so that neither exists without the other. After the commit the row is
written to the ledger, and removed once the ledger has it on disk. If that fails, or the process dies in between, the
schedule does it: the ledger may contain a deletion twice, but never lacks one.
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

# Decisions of people. What a time limit deletes, the same limit deletes again after a backup is restored.
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
    """Have this deletion written to the ledger once the caller's transaction commits. Raises ValueError if the event
    names no user."""
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
    """Write waiting deletions to the ledger; returns how many. Without a configured ledger, nothing is written and they
    keep waiting. If the ledger cannot be written, that is logged and tried again later; nothing is raised."""
    path: Path | None = settings.DELETION_LEDGER
    written = 0
    while path is not None and (count := _write_batch(path)):
        written += count
    return written


def are_waiting() -> bool:
    """Whether a deletion is not in the ledger yet."""
    return Deletion.objects.exists()


def oldest_at() -> datetime | None:
    """When the oldest waiting deletion happened; None if none waits."""
    return Deletion.objects.order_by("at").values_list("at", flat=True).first()


@transaction.atomic
def _write_batch(path: Path) -> int:
    known = Deletion.objects.filter(event__in=EventType.values)  # others wait for the newer release that wrote them
    rows = list(known.select_for_update(skip_locked=True).order_by("at", "pk")[:BATCH])
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
