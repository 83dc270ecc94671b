"""Rows that name another patient: kept apart, sealed and unseen, as evidence of a provider's mistake, with an alarm."""

import logging
from collections.abc import Sequence
from datetime import datetime

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.records import places
from apps.records.models import QuarantinedRow, SyncRun
from apps.vault.sealing import KeyRing
from apps.wire.fhir import Resource

# Evidence of a mistake that goes on needs no more of it.
_MOST_PER_RUN = 100

_LOG = logging.getLogger(__name__)


def keep(run: SyncRun, rows: Sequence[Resource], *, ring: KeyRing, at: datetime) -> None:
    """Put these rows aside, in the transaction of the page they came with. Each body once per run."""
    if not rows:
        return
    room = _MOST_PER_RUN - QuarantinedRow.objects.filter(run=run).count()
    QuarantinedRow.objects.bulk_create(
        (_row(run, row, ring, at=at) for row in rows[: max(room, 0)]), ignore_conflicts=True
    )


def raise_alarm(run: SyncRun, *, rows: int, at: datetime) -> None:
    """Say that a provider sent rows about somebody else: how many and of which connection, never whom."""
    connection_id = str(run.connection_id)
    _LOG.error("A provider sent rows that name another patient: connection %s.", connection_id)
    recording.record(
        EventType.RECORD_REFUSED,
        actor=Actor.system("sync"),
        at=at,
        user_id=run.user_id,
        subject="connection",
        subject_id=connection_id,
        facts={"rows": rows, "sync_run_id": str(run.pk)},
    )


def _row(run: SyncRun, row: Resource, ring: KeyRing, *, at: datetime) -> QuarantinedRow:
    place = places.quarantine_place(run_id=run.pk, resource_type=row.resource_type)
    return QuarantinedRow(
        user_id=run.user_id,
        connection_id=run.connection_id,
        run=run,
        resource_type=row.resource_type,
        digest=ring.keyed_digest(row.body),
        sealed_body=ring.seal_body(row.body, place=place),
        received_at=at,
    )
