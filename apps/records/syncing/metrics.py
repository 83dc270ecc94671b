"""Metrics of copying for a monitor, at `/metrics` beside those of links (docs/operating/metrics.md).

Gauges only, read from Postgres on request. For finished runs they cover the last hour: an index finds those, however
many runs there are. Labels are client registrations and closed vocabularies; no number reveals anything about anybody's
record.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, F, Q
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from apps.connections.models import Connection
from apps.directory.models import ClientRegistration
from apps.records.models import QuarantinedRow, SyncRun, SyncStep
from apps.records.syncing import due, sync_health
from apps.records.syncing.sync_health import SyncHealth

ENDED_WITHIN = timedelta(hours=1)
# A check a day, and a day to make up for one that failed.
STALE_AFTER = 2 * due.EVERY
_AS_AGREED: Final = frozenset({SyncStep.Gap.NOT_SHARED, SyncStep.Gap.NOT_OFFERED})  # nobody need hear of these
MOST_COUNTED = 100_000  # quarantined rows: beyond this, nobody needs the exact number

_OF: Final = ["registration", "name"]
_Counted = Mapping[tuple[UUID, str], int]


class Copies(Collector):
    """The state of this installation's copies at one moment."""

    def __init__(self, *, at: datetime) -> None:
        self._at = at

    def collect(self) -> Iterator[Metric]:
        """Query the database and yield the results as metrics."""
        registrations = list(ClientRegistration.objects.order_by("pk"))
        yield _stale(registrations, at=self._at)
        yield _ended(registrations, at=self._at)
        yield _gaps(registrations, at=self._at)
        yield from _of_installation(sync_health.examine(at=self._at))
        kept = QuarantinedRow.objects.order_by()[:MOST_COUNTED].count()
        meaning = "Rows that named another patient and are kept apart, at most 100,000."
        yield GaugeMetricFamily("holdfast_rows_quarantined", meaning, value=kept)


def _stale(registrations: list[ClientRegistration], *, at: datetime) -> Metric:
    """Looks as `due.due_for_sync` does: by the index of unchecked connections."""
    before = at - STALE_AFTER
    unchecked = Q(last_checked_at__isnull=True, confirmed_at__lte=before) | Q(last_checked_at__lte=before)
    of = Connection.objects.active().filter(unchecked, endpoint__is_switched_on=True, registration__is_switched_on=True)
    counted = dict(of.order_by().values_list("registration").annotate(Count("pk")))
    meaning = "Active links whose copy was not seen to be complete for two days."
    family = GaugeMetricFamily("holdfast_copies_stale", meaning, labels=_OF)
    for one in registrations:
        family.add_metric(_named(one), counted.get(one.pk, 0))
    return family


def _ended(registrations: list[ClientRegistration], *, at: datetime) -> Metric:
    runs = SyncRun.objects.filter(finished_at__gt=at - ENDED_WITHIN, finished_at__lte=at)
    counted = _counted(runs.order_by().values_list("connection__registration", "outcome").annotate(Count("pk")))
    meaning = "Checks of records that ended within the last hour, by how."
    family = GaugeMetricFamily("holdfast_copies_ended", meaning, labels=[*_OF, "outcome"])
    for one in registrations:
        for outcome in SyncRun.Outcome.values:
            family.add_metric([*_named(one), outcome], counted.get((one.pk, outcome), 0))
    return family


def _gaps(registrations: list[ClientRegistration], *, at: datetime) -> Metric:
    """Complete runs are left out: they have only settled gaps."""
    steps = SyncStep.objects.filter(
        run__finished_at__gt=at - ENDED_WITHIN,
        run__finished_at__lte=at,
        run__outcome__in=[SyncRun.Outcome.PARTIAL, SyncRun.Outcome.FAILED],
        status=SyncStep.Status.GAP,
    ).exclude(gap__in=_AS_AGREED)
    by = F("run__connection__registration")
    counted = _counted(steps.order_by().values_list(by, "gap").annotate(Count("pk")))
    meaning = "Kinds of entry of which something is missing in those checks, by why."
    family = GaugeMetricFamily("holdfast_copy_gaps", meaning, labels=[*_OF, "reason"])
    for one in registrations:
        for reason in SyncStep.Gap:
            if reason not in _AS_AGREED and (number := counted.get((one.pk, reason.value), 0)):
                family.add_metric([*_named(one), reason.value], number)
    return family


def _of_installation(found: SyncHealth) -> Iterator[Metric]:
    yield GaugeMetricFamily("holdfast_sync_health", "0 well, 1 look at it today.", value=not found.is_well)
    meaning = "What is not as it should be with copies: at most 20 of each are counted, but for runs_waiting."
    findings = GaugeMetricFamily("holdfast_copy_findings", meaning, labels=["what"])
    for what, number in (
        ("workers_die", len(found.dying)),
        ("step_given_up", len(found.given_up)),
        ("shelves_not_built", len(found.unshelved)),
        ("shelves_not_renewed", len(found.stuck_shelves)),
        ("runs_waiting", found.waiting),
    ):
        findings.add_metric([what], number)
    yield findings
    since_at = found.waiting_since_at
    waits_seconds = max((found.at - since_at).total_seconds(), 0) if since_at else 0
    meaning = "For how long the oldest run waits that nobody takes up; 0 below a quarter of an hour."
    yield GaugeMetricFamily("holdfast_oldest_run_seconds", meaning, value=waits_seconds)
    meaning = "Shelves of an earlier release that are still to be built anew, at most 100,000."
    yield GaugeMetricFamily("holdfast_shelves_old", meaning, value=found.old_shelves)


def _counted(rows: Iterable[tuple[UUID, str, int]]) -> _Counted:
    return {(registration_id, what): number for registration_id, what, number in rows}


def _named(registration: ClientRegistration) -> list[str]:
    return [str(registration.pk), str(registration)]
