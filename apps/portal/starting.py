"""Confirm and start: the patient confirms the person, and only then is the record copied."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.connections.authorization_responses import outcome_counts
from apps.connections.callback import confirming
from apps.connections.models import Connection
from apps.connections.outcomes import Outcome
from apps.records import syncing
from apps.records.models import SyncRun


@dataclass(frozen=True)
class Started:
    """The connection from now on, and the run to enqueue; None if an earlier press has enqueued it. `is_renewal` if the
    person was connected already."""

    connection: Connection
    run: SyncRun | None
    is_renewal: bool = False


def confirm_and_start(connection: Connection, *, candidate: int, at: datetime) -> Started:
    """Confirm the candidate at this position and open the first sync run, in one transaction.

    A second press changes nothing and returns the first one's connection. Raises `confirming.TooLate` and
    `confirming.NoSuchCandidate`.
    """
    started = _confirm_and_start(connection, candidate=candidate, at=at)
    if started.run is not None:
        outcome_counts.count(connection.endpoint, Outcome.CONFIRMED, user_id=connection.user_id, at=at)
    return started


def _confirm_and_start(connection: Connection, *, candidate: int, at: datetime) -> Started:
    with transaction.atomic():
        confirmed = confirming.confirm(connection, candidate=candidate, at=at)
        living = confirmed.connection
        is_new = confirmed.is_renewal or not living.sync_runs.exists()
        if not is_new or living.status != Connection.Status.ACTIVE:
            return Started(living, None, confirmed.is_renewal)
        run = syncing.start(living, cause=SyncRun.Cause.CONFIRMED, at=at)
        return Started(living, run, confirmed.is_renewal)
