"""Confirm and start: the patient confirms the person, and only then is the record copied."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.connections.authorization_responses import outcome_counts
from apps.connections.callback import confirming
from apps.connections.callback.confirming import Confirmed
from apps.connections.models import Connection
from apps.connections.outcomes import Outcome
from apps.records import syncing
from apps.records.models import SyncRun
from apps.records.viewing import visit_of_launch
from apps.records.viewing.listing.rows import Row


@dataclass(frozen=True)
class Started:
    """The connection from now on, and the run to enqueue; None if an earlier press has enqueued it. `visit` is the one
    from which somebody came who was connected already, if it is here."""

    connection: Connection
    run: SyncRun | None
    visit: Row | None = None


def confirm_and_start(connection: Connection, *, candidate: int, at: datetime) -> Started:
    """Confirm the candidate at this position and open the first sync run, in one transaction.

    A second press changes nothing and returns the first one's connection. Raises `confirming.TooLate` and
    `confirming.NoSuchCandidate`.
    """
    with transaction.atomic():
        confirmed = confirming.confirm(connection, candidate=candidate, at=at)
        run = _started(confirmed, at=at)
    if run is not None:
        outcome_counts.count(connection.endpoint, Outcome.CONFIRMED, user_id=connection.user_id, at=at)
    visit = visit_of_launch.find(confirmed.connection, at=at) if confirmed.existed_before else None
    return Started(confirmed.connection, run, visit)


def _started(confirmed: Confirmed, *, at: datetime) -> SyncRun | None:
    living = confirmed.connection
    is_new = confirmed.existed_before or not living.sync_runs.exists()
    if not is_new or living.status != Connection.Status.ACTIVE:
        return None
    return syncing.start(living, cause=SyncRun.Cause.CONFIRMED, at=at)
