"""The metrics of links: the name of each, what it means, and its values at one moment."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeHistogramMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from apps.audit import deletions
from apps.connections import tallying
from apps.connections.link_health import deadlines, overview
from apps.connections.link_health.findings import Level, OfRegistration, What
from apps.connections.link_health.overview import LinkHealth
from apps.connections.link_health.site_certificate import ALARMING
from apps.connections.models import Connection
from apps.directory.models import ClientRegistration

_OF: Final = ["registration", "name"]

# By registration: the metric's name, what it means, and how to get its value.
_NUMBERS: Mapping[str, tuple[str, Callable[[OfRegistration, datetime], float]]] = {
    "holdfast_refreshes_due": ("Links whose token is to be refreshed now.", lambda one, _at: one.lag.due),
    "holdfast_refreshes_overdue": ("Those due for 15 minutes.", lambda one, _at: one.lag.overdue),
    "holdfast_refreshes_waiting": (
        "Links whose refresh failed and is tried again within the hour.", lambda one, _at: one.lag.waiting,
    ),
    "holdfast_refreshes_parked": (
        "Links that would be due if their endpoint were switched on.", lambda one, _at: one.lag.parked,
    ),
    "holdfast_refreshes_broken_off": (
        "Links whose last refresh broke off because of a fault of ours, and is tried again.",
        lambda one, _at: one.lag.broken_off,
    ),
    "holdfast_leases_stuck": ("Links whose worker died, and no other took them.", lambda one, _at: one.lag.stuck),
    "holdfast_refresh_lag_seconds": ("How late the oldest one due is.", lambda one, at: one.lag.lag_seconds(at=at)),
    "holdfast_registration_held": (
        "1 if nothing is refreshed until staff act: in trouble, switched off, or not understood.",
        lambda one, _at: one.is_held,
    ),
    "holdfast_refresh_silences": (
        "Refreshes in a row that the provider did not answer; after more than four we slow down.",
        lambda one, _at: one.pace.silences,
    ),
    "holdfast_refresh_budget_taken_seconds": (
        "For how many seconds ahead its budget of refreshes is allocated.",
        lambda one, _at: one.pace.taken_seconds,
    ),
}  # fmt: skip
_ENDING: Mapping[tuple[str, str], Callable[[OfRegistration], int]] = {
    ("12h", "no"): lambda one: one.lapsing.ending_in_12_hours,
    ("24h", "no"): lambda one: one.lapsing.ending_in_24_hours,
    ("12h", "yes"): lambda one: one.lapsing.refreshing_in_12_hours,
    ("24h", "yes"): lambda one: one.lapsing.refreshing_in_24_hours,
}


class Links(Collector):
    """The links of this installation at one moment, for one reading."""

    def __init__(self, *, at: datetime, off_by: timedelta = timedelta()) -> None:
        self._at, self._off_by = at, off_by

    def collect(self) -> Iterator[Metric]:
        """Query the database and yield the metrics."""
        found = overview.examine(at=self._at, off_by=self._off_by)
        yield from _numbers(found)
        yield _links(found)
        yield _ending(found)
        yield _slowed(found)
        yield _time_to_deadline(found)
        yield _outcomes(found)
        yield from _of_installation(found)


def _numbers(found: LinkHealth) -> Iterator[Metric]:
    for name, (meaning, value) in _NUMBERS.items():
        family = GaugeMetricFamily(name, meaning, labels=_OF)
        for one in found.registrations:
            family.add_metric(_labels(one), value(one, found.at))
        yield family


def _links(found: LinkHealth) -> Metric:
    """The values for all reasons of a status add up to its number."""
    family = GaugeMetricFamily("holdfast_links", "Links by status and reason.", labels=[*_OF, "status", "reason"])
    for one in found.registrations:
        for status, number in one.standings.by_status.items():
            reasons = one.standings.by_reason if status == Connection.Status.NEEDS_REAUTHORIZATION else {}
            for reason, times in {**reasons, "": number - sum(reasons.values())}.items():
                if times or not reasons:
                    family.add_metric([*_labels(one), status, reason], times)
    return family


def _ending(found: LinkHealth) -> Metric:
    meaning = "Permissions that end within 12 and 24 hours: we refresh them before, or only patients can renew them."
    family = GaugeMetricFamily("holdfast_links_ending", meaning, labels=[*_OF, "within", "is_renewed"])
    for one in found.registrations:
        for (within, is_renewed), number in _ENDING.items():
            family.add_metric([*_labels(one), within, is_renewed], number(one))
    return family


def _slowed(found: LinkHealth) -> Metric:
    """No value means the usual rate."""
    meaning = "Refreshes a second to which the provider slowed us down, for ten minutes."
    family = GaugeMetricFamily("holdfast_refresh_slowed_per_second", meaning, labels=_OF)
    for one in found.registrations:
        if one.pace.slowed_per_second is not None:
            family.add_metric(_labels(one), one.pace.slowed_per_second)
    return family


def _time_to_deadline(found: LinkHealth) -> Metric:
    meaning = "Time left to the permissions that we refresh. A gauge: each link counts once, as it is now."
    family = GaugeHistogramMetricFamily("holdfast_time_to_deadline_seconds", meaning, labels=_OF)
    spreads = deadlines.by_registration(at=found.at)
    for one in found.registrations:
        if spread := spreads.get(one.registration.pk):
            edges = [str(edge.total_seconds()) for edge in deadlines.EDGES]
            buckets = [*zip(edges, spread.within, strict=True), ("+Inf", spread.total)]
            family.add_metric(_labels(one), buckets, spread.seconds)
    return family


def _outcomes(found: LinkHealth) -> Metric:
    """Outcomes that never occurred are included, so that the first one shows as an increase. So are registrations whose
    last link is gone: a counter that disappears looks like a reset."""
    family = CounterMetricFamily("holdfast_refreshes", "Refreshes by how they ended.", labels=[*_OF, "outcome"])
    totals = tallying.totals()
    linked = [one.registration for one in found.registrations]
    left = {pk for pk, _outcome in totals} - {registration.pk for registration in linked}
    for registration in (*linked, *(ClientRegistration.objects.filter(pk__in=left) if left else ())):
        for outcome in tallying.Outcome:
            times = totals.get((registration.pk, outcome), 0)
            family.add_metric([*_named(registration), outcome.value], times)
    return family


def _of_installation(found: LinkHealth) -> Iterator[Metric]:
    yield GaugeMetricFamily("holdfast_link_health", "0 well, 1 look at it today, 2 act now.", value=found.level)
    findings = GaugeMetricFamily("holdfast_findings", "What is not as it should be.", labels=["what", "level"])
    for what in What:
        for level in (Level.ATTENTION, Level.ACT):
            number = sum(finding.what is what and finding.level is level for finding in found.findings)
            findings.add_metric([what.value, level.name.lower()], number)
    yield findings
    meaning = "Permissions whose end a provider has yet to confirm."
    yield GaugeMetricFamily("holdfast_revocations_waiting", meaning, value=found.revocations)
    waits = _seconds_since(found.oldest_revocation_at, at=found.at)
    yield GaugeMetricFamily("holdfast_oldest_revocation_seconds", "For how long the oldest waits.", value=waits)
    meaning = "For how long the oldest deletion waits to be written into the deletion ledger."
    waits = _seconds_since(deletions.oldest_at(), at=found.at)
    yield GaugeMetricFamily("holdfast_oldest_deletion_seconds", meaning, value=waits)
    if found.certificate_ends_at is not None:
        ends = GaugeMetricFamily("holdfast_site_certificate_end_seconds", "When our own certificate ends, Unix time.")
        ends.add_metric([], found.certificate_ends_at.timestamp())
        yield ends
    meaning = "1 if our own certificate ends within 21 days, or browsers refuse it."
    yield GaugeMetricFamily("holdfast_site_certificate_alarm", meaning, value=found.certificate in ALARMING)


def _seconds_since(moment: datetime | None, *, at: datetime) -> float:
    """0 if there is none."""
    return max((at - moment).total_seconds(), 0) if moment else 0


def _labels(one: OfRegistration) -> list[str]:
    return _named(one.registration)


def _named(registration: ClientRegistration) -> list[str]:
    pk: UUID = registration.pk
    return [str(pk), str(registration)]
