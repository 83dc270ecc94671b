"""The content of two admin pages: the health of all links, and the history of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.audit.models import AuditEvent
from apps.connections.link_health import words
from apps.connections.link_health.findings import Finding, Level, OfRegistration, What
from apps.connections.link_health.overview import LinkHealth
from apps.connections.models import Connection

NOTHING = "-"
_OF_ENDPOINTS = frozenset(
    {What.ENDPOINT_OFF, What.ENDPOINT_UNKNOWN, What.ENDPOINT_MOVED, What.NOT_ENABLED, What.SILENT}
)


@dataclass(frozen=True)
class ShownFinding:
    """One finding. `url` leads to what it is about; empty if that has no page."""

    level: Promise
    is_urgent: bool
    about: str
    url: str
    sentence: str
    who: Promise
    links: int
    code: str
    since_at: datetime | None


@dataclass(frozen=True)
class Cell:
    """A number of links, with the URL of their list; empty if there are none."""

    number: int
    url: str


@dataclass(frozen=True)
class ShownRegistration:
    """One row of the table: the registration's name, why it is held, and the numbers in the order of the columns."""

    name: str
    url: str
    held: str
    cells: Sequence[Cell]
    lag_minutes: int


@dataclass(frozen=True)
class HealthPage:
    """Everything that the page shows."""

    at: datetime
    verdict: Promise
    findings: Sequence[ShownFinding]
    registrations: Sequence[ShownRegistration]
    revocations: int
    oldest_revocation_at: datetime | None
    certificate: Promise
    certificate_ends_at: datetime | None


@dataclass(frozen=True)
class Happened:
    """One event, as shown to staff."""

    at: datetime
    what: str
    who: str
    details: str


def health_page(found: LinkHealth) -> HealthPage:
    """The state of links, with URLs of the lists that are counted."""
    return HealthPage(
        at=found.at,
        verdict=words.LEVELS[found.level],
        findings=[_finding(one) for one in found.findings],
        registrations=[_registration(one, at=found.at) for one in found.registrations],
        revocations=found.revocations,
        oldest_revocation_at=found.oldest_revocation_at,
        certificate=words.OUTLOOKS[found.certificate],
        certificate_ends_at=found.certificate_ends_at,
    )


def happened(event: AuditEvent) -> Happened:
    """The actor is shown as a kind, with the part of the system or the id of a member of staff. Facts have a closed
    vocabulary."""
    who = str(event.get_actor_kind_display())
    beside = event.actor_name or (str(event.actor_id) if event.actor_kind == "staff" else "")
    details = ", ".join(f"{name}: {value}" for name, value in sorted(event.facts.items()) if name != "provider_id")
    return Happened(event.at, str(event.get_event_display()), f"{who} ({beside})" if beside else who, details)


def _finding(one: Finding) -> ShownFinding:
    model = "endpoint" if one.what in _OF_ENDPOINTS else "clientregistration"
    return ShownFinding(
        level=words.LEVELS[one.level],
        is_urgent=one.level is Level.ACT,
        about=one.about,
        url=reverse(f"admin:directory_{model}_change", args=[one.about_id]) if one.about_id else "",
        sentence=words.sentence(one),
        who=words.WHO[one.who],
        links=one.links,
        code="" if one.code in words.OUTLOOKS else one.code,
        since_at=one.since_at,
    )


def _registration(one: OfRegistration, *, at: datetime) -> ShownRegistration:
    pk, lapsing, lag = one.registration.pk, one.lapsing, one.lag
    cells = (
        _cell(pk, one.standings.active, stands=Connection.Status.ACTIVE.value),
        _cell(pk, one.standings.living - one.standings.active, stands=Connection.Status.NEEDS_REAUTHORIZATION.value),
        _cell(pk, lag.due, late="due"),
        _cell(pk, lag.overdue, late="late"),
        _cell(pk, lag.waiting, late="waiting"),
        _cell(pk, lapsing.ending_in_12_hours, ends="patient12"),
        _cell(pk, lapsing.ending_in_24_hours, ends="patient24"),
        _cell(pk, lapsing.refreshing_in_12_hours, ends="renewed12"),
        _cell(pk, lapsing.refreshing_in_24_hours, ends="renewed24"),
    )
    return ShownRegistration(
        name=str(one.registration),
        url=reverse("admin:directory_clientregistration_change", args=[pk]),
        held=_held(one),
        cells=cells,
        lag_minutes=int(lag.lag_seconds(at=at) // 60),
    )


def _held(one: OfRegistration) -> str:
    """Why none of its links are renewed, in a word or two; empty if they are."""
    if not one.is_held:
        return ""
    if one.registration.trouble:
        return _("in trouble")
    return _("not understood") if one.registration.is_switched_on else _("off")


def _cell(registration_id: UUID, number: int, **answers: str) -> Cell:
    """The list of one registration's links that match a filter."""
    query = urlencode({"registration__id__exact": str(registration_id), **answers})
    return Cell(number, f"{reverse('admin:connections_connection_changelist')}?{query}" if number else "")
