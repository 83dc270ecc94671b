"""Problems with links: how serious they are, and who must act.

There are three levels. WELL: nobody needs to act. ATTENTION: somebody should look today. ACT: unless somebody acts,
links end within a day, or our site stops working. Patients who must sign in again are counted but are no finding: their
pages and mail tell them, and no operator can do it for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from functools import partial
from uuid import UUID

from apps.connections.link_health.breaking import Standings
from apps.connections.link_health.lagging import Lag
from apps.connections.link_health.lapsing import Lapsing
from apps.connections.link_health.pacing import Pace
from apps.connections.link_health.site_certificate import Outlook
from apps.connections.refreshing import doubting
from apps.directory import overriding
from apps.directory.models import ClientRegistration, Endpoint
from apps.directory.system_refusals import SystemRefusal

VERY_LATE = timedelta(hours=1)
CLOCK_OFF = timedelta(seconds=30)  # synchronized clocks differ by far less
CLOCK_FAR_OFF = timedelta(minutes=3)  # about as long as a client assertion that we sign is valid
REVOCATIONS_LATE = timedelta(hours=12)  # after 24 hours the token is dropped unconfirmed


class Level(IntEnum):
    """The exit code of `link_health`."""

    WELL = 0
    ATTENTION = 1
    ACT = 2


class Who(StrEnum):
    """Who must act."""

    OPERATOR = "operator"  # staff here: the registration desk, the admin, the servers
    ORGANIZATION = "organization"  # the provider's own staff; ours can only ask them
    PROVIDER = "provider"  # nobody here: it does not answer, or told us to wait
    US = "us"  # whoever runs this installation: workers, beat, the database


class What(StrEnum):
    """The closed vocabulary of findings."""

    TROUBLE = "registration_in_trouble"
    REGISTRATION_OFF = "registration_switched_off"
    REGISTRATION_UNKNOWN = "registration_of_unknown_override"
    SYSTEM_REFUSED = "system_access_refused"
    ENDPOINT_OFF = "endpoint_switched_off"
    ENDPOINT_UNKNOWN = "endpoint_of_unknown_dialect"
    ENDPOINT_MOVED = "endpoint_moved"
    NOT_ENABLED = "organization_not_enabled"
    WAITING = "provider_not_answering"
    REFUSING = "provider_refusing_everybody"
    SILENT = "records_not_answering"
    OVERDUE = "refreshes_overdue"
    STUCK = "leases_stuck"
    BROKE_OFF = "refreshes_broke_off"
    FAILING = "refreshes_failing"
    REVOCATIONS = "revocations_waiting"
    CERTIFICATE = "site_certificate"
    KEY_MISSING = "vault_key_missing"
    CLOCK = "clock_wrong"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that somebody should look at. `about` names a registration or an endpoint, `links` counts the links
    concerned, `code` adds details from a closed vocabulary, and `since_at` is None if unknown."""

    level: Level
    what: What
    who: Who
    about: str = ""
    about_id: UUID | None = None
    links: int = 0
    code: str = ""
    since_at: datetime | None = None


@dataclass(frozen=True)
class OfRegistration:
    """The links of one registration."""

    registration: ClientRegistration
    standings: Standings
    lapsing: Lapsing
    lag: Lag
    pace: Pace

    @property
    def is_held(self) -> bool:
        """Nothing of it is refreshed until staff act, so nothing is late because of us."""
        is_off = not self.registration.is_switched_on
        return is_off or bool(self.registration.trouble) or not overriding.is_readable(self.registration)

    @property
    def loses_links_soon(self) -> bool:
        """Whether permissions that would have been refreshed end within a day."""
        return self.lapsing.refreshing_in_24_hours > 0


def of_registration(one: OfRegistration, *, at: datetime) -> Iterator[Finding]:
    """What keeps all its links from being refreshed; otherwise refreshes that are late because of us, or a provider
    that does not answer."""
    yield from _holding(one) if one.is_held else _going_on(one, at=at)


def _holding(one: OfRegistration) -> Iterator[Finding]:
    """Trouble, a switch that is off, or overrides that this release cannot read, if there are links. Trouble counts
    even without links, because patients are turned away and read that staff know."""
    registration, links = one.registration, one.standings.living
    if not links and not (registration.trouble and registration.is_switched_on):
        return
    level = Level.ACT if one.loses_links_soon else Level.ATTENTION
    finding = partial(
        Finding, level=level, who=Who.OPERATOR, about=str(registration), about_id=registration.pk, links=links
    )
    if registration.trouble:
        yield finding(what=What.TROUBLE, code=registration.trouble, since_at=registration.trouble_at)
    if not links:
        return
    if not registration.is_switched_on:
        yield finding(what=What.REGISTRATION_OFF, since_at=registration.switched_off_at)
    if not overriding.is_readable(registration):
        yield finding(what=What.REGISTRATION_UNKNOWN)


def _going_on(one: OfRegistration, *, at: datetime) -> Iterator[Finding]:
    lag = one.lag
    finding = partial(Finding, about=str(one.registration), about_id=one.registration.pk)
    if lag.broken_off:
        level = Level.ACT if lag.broken_off_ending else Level.ATTENTION
        yield finding(level=level, what=What.BROKE_OFF, who=Who.US, links=lag.broken_off)
    if lag.refused >= doubting.MANY:
        yield finding(
            level=Level.ACT, what=What.REFUSING, who=Who.PROVIDER, links=lag.refused, since_at=lag.refused_since
        )
    if one.pace.is_slow and (lag.due or lag.waiting):
        yield finding(level=Level.ATTENTION, what=What.WAITING, who=Who.PROVIDER, links=lag.due + lag.waiting)
        return
    if lag.failing:
        level = Level.ACT if lag.failing_ending else Level.ATTENTION
        yield finding(level=level, what=What.FAILING, who=Who.OPERATOR, links=lag.failing)
    if lag.overdue:
        late = Level.ACT if lag.lag_seconds(at=at) >= VERY_LATE.total_seconds() else Level.ATTENTION
        yield finding(level=late, what=What.OVERDUE, who=Who.US, links=lag.overdue, since_at=lag.oldest_due_at)
    if lag.stuck:
        yield finding(level=Level.ACT, what=What.STUCK, who=Who.US, links=lag.stuck)


def of_endpoint(what: What, who: Who, endpoint: Endpoint, links: int, *, loses_links_soon: bool = False) -> Finding:
    """Switched off, of a dialect that this release does not know, moved, or refused by its organization."""
    return Finding(
        level=Level.ACT if loses_links_soon else Level.ATTENTION,
        what=what,
        who=who,
        about=endpoint.fhir_base_url,
        about_id=endpoint.pk,
        links=links,
        since_at=endpoint.switched_off_at if what is What.ENDPOINT_OFF else None,
    )


def of_system(refusal: SystemRefusal) -> Finding:
    """Its system account is refused. That affects no link, but exports for the organization."""
    return Finding(
        level=Level.ATTENTION,
        what=What.SYSTEM_REFUSED,
        who=Who.OPERATOR,
        about=str(refusal.registration),
        about_id=refusal.registration.pk,
        code=refusal.code,
        since_at=refusal.since_at,
    )


def of_silence(endpoint: Endpoint, links: int) -> Finding:
    """Its records answer nobody. That alone ends no link, but nothing new is copied."""
    return Finding(
        level=Level.ATTENTION,
        what=What.SILENT,
        who=Who.PROVIDER,
        about=endpoint.fhir_base_url,
        about_id=endpoint.pk,
        links=links,
        since_at=endpoint.silence.began_at,
    )


def of_revocations(registration: ClientRegistration, late: int, oldest_at: datetime) -> Finding:
    """Its server has not confirmed revocations for half a day (`REVOCATIONS_LATE`)."""
    return Finding(
        level=Level.ATTENTION,
        what=What.REVOCATIONS,
        who=Who.PROVIDER,
        about=str(registration),
        about_id=registration.pk,
        links=late,
        since_at=oldest_at,
    )


def of_keys(absent: Sequence[str]) -> Iterator[Finding]:
    """Missing wrapping keys: values of these users cannot be opened, while providers' time limits run on."""
    if absent:
        yield Finding(level=Level.ACT, what=What.KEY_MISSING, who=Who.US, about="VAULT_KEYS", code=", ".join(absent))


def of_clock(off_by: timedelta) -> Iterator[Finding]:
    """This machine's clock compared with the database's: providers refuse what it signs as expired, or as not yet
    valid."""
    if abs(off_by) >= CLOCK_OFF:
        level = Level.ACT if abs(off_by) >= CLOCK_FAR_OFF else Level.ATTENTION
        yield Finding(level=level, what=What.CLOCK, who=Who.US, code=f"{off_by.total_seconds():+.0f} s")


def of_certificate(outlook: Outlook) -> Iterator[Finding]:
    """The certificate of our own site: if it expires, links end."""
    levels = {
        Outlook.UNSEEN: Level.ATTENTION,
        Outlook.ENDS_SOON: Level.ATTENTION,
        Outlook.ENDS_VERY_SOON: Level.ACT,
        Outlook.ENDED: Level.ACT,
        Outlook.REFUSED: Level.ACT,
    }
    if outlook in levels:
        yield Finding(level=levels[outlook], what=What.CERTIFICATE, who=Who.US, code=outlook.value)
