"""The state of all links of this installation in one object, for operators each day and monitors each minute."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.connections.link_health import breaking, findings, lagging, lapsing, pacing, site_certificate
from apps.connections.link_health.breaking import NO_LINKS
from apps.connections.link_health.findings import Finding, Level, OfRegistration, What, Who
from apps.connections.link_health.lagging import Lag
from apps.connections.link_health.lapsing import Lapsing
from apps.connections.link_health.pacing import Pace
from apps.connections.link_health.site_certificate import Outlook
from apps.directory import system_refusals
from apps.directory.models import ClientRegistration
from apps.vault import rewrapping
from apps.vault.errors import WeakKey


@dataclass(frozen=True)
class LinkHealth:
    """Everything, at one moment. `registrations` are those that have or had links, or are in trouble."""

    at: datetime
    registrations: Sequence[OfRegistration]
    findings: Sequence[Finding]
    revocations: int
    oldest_revocation_at: datetime | None
    certificate: Outlook
    certificate_ends_at: datetime | None

    @property
    def level(self) -> Level:
        """The worst of its findings."""
        return max((finding.level for finding in self.findings), default=Level.WELL)

    @property
    def lag_seconds(self) -> float:
        """How late the latest refresh is that we could make."""
        return max((one.lag.lag_seconds(at=self.at) for one in self.registrations if not one.is_held), default=0)


def examine(*, at: datetime, off_by: timedelta = timedelta()) -> LinkHealth:
    """Examine all links, at the database's time. Makes a handful of queries that indexes answer, and writes nothing.
    `off_by` is how far this machine's clock is ahead of the database's."""
    ours = registrations(at=at)
    revocations, oldest_at = breaking.pending_revocations()
    certificate = site_certificate.latest()
    outlook = site_certificate.outlook(certificate, at=at)
    found: list[Finding] = [
        *(finding for one in ours for finding in findings.of_registration(one, at=at)),
        *map(findings.of_system, system_refusals.standing()),
        *_stopped(at),
        *(findings.of_endpoint(What.NOT_ENABLED, Who.ORGANIZATION, *row) for row in breaking.not_enabled()),
        *(findings.of_silence(*row) for row in breaking.silent(at=at)),
        *_revocations(at),
        *findings.of_certificate(outlook),
        *findings.of_keys(_absent_keys()),
        *findings.of_clock(off_by),
    ]
    return LinkHealth(
        at=at,
        registrations=ours,
        findings=sorted(found, key=lambda finding: (-finding.level, finding.what, finding.about)),
        revocations=revocations,
        oldest_revocation_at=oldest_at,
        certificate=outlook,
        certificate_ends_at=certificate.ends_at if certificate else None,
    )


def _absent_keys() -> Sequence[str]:
    """Their ids, which are no secret."""
    try:
        return rewrapping.absent()
    except WeakKey:
        return ["unusable"]


def _stopped(at: datetime) -> Iterator[Finding]:
    """Endpoints where nothing is refreshed until staff act, or soon will not be."""
    stopped = [(What.ENDPOINT_OFF, *row) for row in breaking.endpoints_off()]
    stopped += [(What.ENDPOINT_UNKNOWN, *row) for row in breaking.endpoints_unknown()]
    stopped += [(What.ENDPOINT_MOVED, *row) for row in breaking.endpoints_moved()]
    losing = breaking.losing_links_soon([endpoint.pk for _what, endpoint, _links in stopped], at=at)
    for what, endpoint, links in stopped:
        yield findings.of_endpoint(what, Who.OPERATOR, endpoint, links, loses_links_soon=endpoint.pk in losing)


def _revocations(at: datetime) -> Iterator[Finding]:
    """Revocations that wait too long, by registration."""
    late = breaking.late_revocations(since=at - findings.REVOCATIONS_LATE)
    for registration in ClientRegistration.objects.filter(pk__in=late):
        yield findings.of_revocations(registration, *late[registration.pk])


def registrations(*, at: datetime) -> Sequence[OfRegistration]:
    """The links of each registration that has or had any, or is in trouble, by label."""
    standings, paces = breaking.standings(), pacing.by_registration(at=at)
    lapses, lags = lapsing.by_registration(at=at), lagging.by_registration(at=at)
    return [
        OfRegistration(
            registration,
            standings.get(registration.pk, NO_LINKS),
            lapses.get(registration.pk, Lapsing()),
            lags.get(registration.pk, Lag()),
            paces.get(registration.pk, Pace()),
        )
        for registration in breaking.registrations()
        if registration.pk in standings or registration.trouble
    ]
