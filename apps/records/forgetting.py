"""Forget what was copied from one connection: records, their earlier versions, files, shelves, what was set aside, and
how all of it came.

The runs go first. A worker in the middle of a page holds its run's row, so this waits for that page; a worker that
comes later finds no run, and stores nothing (`leasing.Lease.extend`). From then on the connection's row is held, so
that no file is kept of a record that is about to go (`downloading.keeping`).

Each table is emptied by one statement of its own. Left to the deletion of what they hang on, every record would be
loaded first, with its body.
"""

from datetime import datetime
from typing import TypeVar

from django.db import models, transaction
from django.db.models import QuerySet

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.records.models import (
    Attachment,
    Leaf,
    PendingRead,
    QuarantinedRow,
    Record,
    RecordVersion,
    Shelf,
    SyncRun,
    SyncStep,
)

Row = TypeVar("Row", bound=models.Model)


def forget(connection: Connection, *, actor: Actor, at: datetime) -> None:
    """Delete every copy of one connection. The connection itself, and the audit log, stay."""
    mine = {"user_id": connection.user_id, "connection_id": connection.id}
    with transaction.atomic():
        _forget_runs(SyncRun.objects.filter(**mine))
        list(Connection.objects.select_for_update().filter(pk=connection.pk).values_list("pk"))
        records = Record.objects.filter(**mine)
        _empty(Attachment.objects.filter(record__in=records))
        _empty(RecordVersion.objects.filter(record__in=records))
        count = _empty(records)
        _empty(Leaf.objects.filter(shelf__in=Shelf.objects.filter(**mine)))
        _empty(Shelf.objects.filter(**mine))
        recording.record(
            EventType.RECORD_FORGOTTEN,
            actor=actor,
            at=at,
            user_id=connection.user_id,
            subject="connection",
            subject_id=str(connection.id),
            facts={"rows": count},
        )


def _forget_runs(runs: QuerySet[SyncRun]) -> None:
    held = list(runs.select_for_update().values_list("pk", flat=True))
    _empty(QuarantinedRow.objects.filter(run__in=held))
    _empty(PendingRead.objects.filter(run__in=held))
    _empty(SyncStep.objects.filter(run__in=held))
    _empty(SyncRun.objects.filter(pk__in=held))


def _empty(rows: QuerySet[Row]) -> int:
    """Delete them without a look at what hangs on them: the database refuses where something still does."""
    return rows._raw_delete(rows.db) or 0  # noqa: SLF001 - the public way loads every row
