"""Delete what was copied from one connection: records, their earlier versions, files, shelves, what was quarantined,
and how it all came.

The runs go first. A worker in the middle of a page holds its run's row, so this waits for that page; a worker that
comes later finds no run, and stores nothing (`leasing.Lease.extend`). After that, the connection's row is locked, so
that no file of a record that is about to go is kept (`attachments.storing`).

Each table is emptied by a statement of its own. Cascading deletes would first load every record, with its body.
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
    """Delete the rows without checking what depends on them: if something still does, the database refuses."""
    return rows._raw_delete(rows.db) or 0  # noqa: SLF001 - the public way loads every row
