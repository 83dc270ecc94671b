"""Rows that name another patient: kept apart, sealed and unseen, as evidence of a provider's mistake, with an alarm.

Operators see how many rows of which type came when, in whose copy, and can discard them; nobody opens one.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Min, QuerySet, Sum

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.records import places
from apps.records.models import QuarantinedRow, SyncRun, SyncStep
from apps.vault.sealing import KeyRing
from apps.wire.fhir import Resource

# If a mistake goes on, more rows are no better evidence of it.
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
    """Raise the alarm that a provider sent rows about somebody else: how many and on which connection, never about
    whom."""
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


@dataclass(frozen=True)
class QuarantinedRows:
    """Rows of one type quarantined in one run: how many, and between when and when they came. `sent` is how many came
    in all, of which the first are kept."""

    connection_id: UUID
    provider: str
    run_id: UUID
    first_at: datetime
    last_at: datetime
    types: tuple[tuple[str, int], ...]
    sent: int


def held(*, connection_id: UUID | None = None) -> Iterator[QuarantinedRows]:
    """By run, the latest first; nothing is opened."""
    found = _rows(connection_id).values("connection_id", "run_id", "resource_type", began_at=F("run__created_at"))
    found = found.annotate(
        provider=F("connection__provider__name"),
        rows=Count("pk"),
        first_at=Min("received_at"),
        last_at=Max("received_at"),
    )
    ordered = found.order_by("-began_at", "run_id", "resource_type")
    for run_id, grouped in groupby(ordered.iterator(), key=itemgetter("run_id")):
        parts = list(grouped)
        sent = SyncStep.objects.filter(run=run_id).aggregate(rows=Sum("rows_refused", default=0))["rows"]
        yield QuarantinedRows(
            connection_id=parts[0]["connection_id"],
            provider=parts[0]["provider"],
            run_id=run_id,
            first_at=min(part["first_at"] for part in parts),
            last_at=max(part["last_at"] for part in parts),
            types=tuple((part["resource_type"], part["rows"]) for part in parts),
            sent=sent,
        )


def discard(*, connection_id: UUID, actor: Actor, at: datetime) -> int:
    """Delete a connection's quarantined rows before their time. Returns how many there were."""
    with transaction.atomic():
        kept = _rows(connection_id)
        user_id = kept.values_list("user_id", flat=True).first()
        rows, _by_model = kept.delete()
        if rows:
            recording.record(
                EventType.RECORD_DISCARDED,
                actor=actor,
                at=at,
                user_id=user_id,
                subject="connection",
                subject_id=str(connection_id),
                facts={"rows": rows},
            )
    if rows:
        _LOG.warning("Rows that name another patient were discarded: connection %s, %d rows.", connection_id, rows)
    return rows


def _rows(connection_id: UUID | None) -> QuerySet[QuarantinedRow]:
    rows = QuarantinedRow.objects.order_by()
    return rows if connection_id is None else rows.filter(connection=connection_id)


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
