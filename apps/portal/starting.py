"""Confirm and start: the patient says yes, and from that moment, not before, their record is copied."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.connections.answers import counting
from apps.connections.arriving import confirming
from apps.connections.models import Connection
from apps.connections.outcomes import Outcome
from apps.records import syncing
from apps.records.models import SyncRun


@dataclass(frozen=True)
class Started:
    """The connection that holds from now on, and the run to enqueue; None where an earlier press has seen to it."""

    connection: Connection
    run: SyncRun | None


def confirm_and_start(connection: Connection, *, candidate: int, at: datetime) -> Started:
    """Confirm the person at this place of the candidates and open the first sync run, both or neither.

    A second press changes nothing and finds what the first did. Raises `confirming.TooLate` and
    `confirming.NoSuchCandidate`.
    """
    started = _confirm_and_start(connection, candidate=candidate, at=at)
    if started.run is not None:
        counting.count(connection.endpoint, Outcome.CONFIRMED, user_id=connection.user_id, at=at)
    return started


def _confirm_and_start(connection: Connection, *, candidate: int, at: datetime) -> Started:
    with transaction.atomic():
        confirmed = confirming.confirm(connection, candidate=candidate, at=at)
        living = confirmed.connection
        is_new = confirmed.is_renewal or not living.sync_runs.exists()
        if not is_new or living.status != Connection.Status.ACTIVE:
            return Started(living, None)
        return Started(living, syncing.start(living, cause=SyncRun.Cause.CONFIRMED, at=at))
