"""Forget what was copied from one connection: records, their earlier versions, shelves, and how they came.

The runs go first. A worker in the middle of a page holds its run's row, so this waits for that page; a worker that
comes later finds no run, and stores nothing (`leasing.Lease.extend`).
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.records.models import Leaf, Record, RecordVersion, Shelf, SyncRun, SyncStep


@dataclass(frozen=True)
class Forgotten:
    """How many rows went, by kind."""

    records: int
    versions: int
    shelves: int
    runs: int


def forget(connection: Connection, *, actor: Actor, at: datetime) -> Forgotten:
    """Delete every copy of one connection. The connection itself, and the audit log, stay."""
    mine = {"user_id": connection.user_id, "connection_id": connection.id}
    with transaction.atomic():
        held = list(SyncRun.objects.filter(**mine).select_for_update().values_list("pk", flat=True))
        SyncStep.objects.filter(run__in=held).delete()
        runs, _counts = SyncRun.objects.filter(pk__in=held).delete()
        versions, _counts = RecordVersion.objects.filter(record__in=Record.objects.filter(**mine)).delete()
        records, _counts = Record.objects.filter(**mine).delete()
        Leaf.objects.filter(shelf__in=Shelf.objects.filter(**mine)).delete()
        shelves, _counts = Shelf.objects.filter(**mine).delete()
        recording.record(
            EventType.RECORD_FORGOTTEN,
            actor=actor,
            at=at,
            user_id=connection.user_id,
            subject="connection",
            subject_id=str(connection.id),
            facts={"rows": records},
        )
    return Forgotten(records=records, versions=versions, shelves=shelves, runs=runs)
