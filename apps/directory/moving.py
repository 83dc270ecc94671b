"""Endpoints that move: that lead to another origin than their registrations know. A move is stored and shown to staff,
and `connections.moving` approves it. Until then nothing is sent to the new origin (`pinning`), and links go on at the
earlier address as long as it answers.

A SMART deployment states its new addresses itself; its endpoint stays at the earlier authorization server. For the
patient access API a list states them; the endpoint then belongs to the new server at once, but its links do not follow.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import F, Q, QuerySet

from apps.audit.recording import Actor
from apps.directory import pinning, registration_changes
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint, KnownOrigins
from apps.wire import addresses
from apps.wire.dialects import Interface
from apps.wire.discovery import SmartConfiguration
from apps.wire.errors import Code

COLUMNS = ("named_authorize_url", "named_token_url")


@dataclass(frozen=True)
class Addresses:
    """The address where patients sign in, and the one where tokens are issued."""

    authorize_url: str
    token_url: str

    @property
    def authorize_host(self) -> str:
        """The host where patients sign in, with its port if it has one: staff compare it."""
        return urlsplit(self.authorize_url).netloc

    @property
    def token_host(self) -> str:
        """The same where tokens are issued."""
        return urlsplit(self.token_url).netloc

    @property
    def origins(self) -> tuple[str, str]:
        """The origins of both, as they are stored and compared."""
        return addresses.origin(self.authorize_url), addresses.origin(self.token_url)


def awaits(endpoint: Endpoint) -> bool:
    """Whether it leads to an origin that staff have yet to approve."""
    return bool(endpoint.named_token_url)


def is_held(endpoint: Endpoint) -> bool:
    """Whether it was first linked at its present address, whose approval was withdrawn: no earlier address exists."""
    return endpoint.moved_from_id is not None and endpoint.moved_from_id == endpoint.authorization_server_id


def awaiting() -> QuerySet[Endpoint]:
    """The endpoints that do."""
    return Endpoint.objects.filter(~Q(named_token_url=""))


def before(endpoint: Endpoint) -> Addresses | None:
    """The earlier addresses: until a move is approved, its links go on there."""
    is_still_there = awaits(endpoint) and endpoint.interface == Interface.SMART
    return _addresses(endpoint.authorization_server if is_still_there else endpoint.moved_from)


def named(endpoint: Endpoint) -> Addresses | None:
    """The addresses to which it leads now."""
    if awaits(endpoint):
        return Addresses(endpoint.named_authorize_url, endpoint.named_token_url)
    return _addresses(endpoint.authorization_server)


def notes(known: Addresses, found: Addresses) -> list[str]:
    """A line for each of the two addresses that has another origin than before."""
    return [
        f"{name} moved to {origin}"
        for name, origin, url, before_it in zip(
            ("authorize_url", "token_url"),
            found.origins,
            (found.authorize_url, found.token_url),
            (known.authorize_url, known.token_url),
            strict=True,
        )
        if not pinning.is_same_origin(url, before_it)
    ]


def moved(endpoint: Endpoint, configuration: SmartConfiguration) -> list[str]:
    """The same for a discovered SMART configuration; none if a registration of the endpoint knows both origins."""
    known = _addresses(endpoint.authorization_server)
    found = Addresses(configuration.authorize_url, configuration.token_url)
    told = notes(known, found) if known is not None else []
    if is_held(endpoint) and not told:
        told = ["approval taken back"]
    return [] if told and is_known(endpoint, found) else told


def hold(endpoint: Endpoint) -> None:
    """Lock the approvals of its registrations until the end of the caller's transaction. Otherwise a withdrawal at the
    same time would not see that this endpoint follows one. Call it before locking the endpoint's row, because a
    withdrawal locks in that order, too."""
    rows = KnownOrigins.objects.filter(registration__in=_registrations(endpoint), withdrawn_at=None)
    list(rows.select_for_update(no_key=True).order_by("pk"))


def is_known(endpoint: Endpoint, found: Addresses) -> bool:
    """Whether one of the endpoint's registrations may send codes, tokens and secrets there."""
    there = AuthorizationServer(authorize_url=found.authorize_url, token_url=found.token_url)
    return any(pinning.knows(registration, there) for registration in _registrations(endpoint))


def know(registration: ClientRegistration, endpoint: Endpoint, found: Addresses, *, actor: Actor, at: datetime) -> bool:
    """Allow this registration to send codes, tokens and secrets there. False if it may already. The caller has locked
    its row."""
    if pinning.knows(registration, AuthorizationServer(authorize_url=found.authorize_url, token_url=found.token_url)):
        return False
    authorize_origin, token_origin = found.origins
    KnownOrigins.objects.create(
        registration=registration,
        endpoint=endpoint,
        authorize_origin=authorize_origin,
        token_origin=token_origin,
        approved_at=at,
    )
    registration_changes.note(registration, "origins approved", actor=actor, at=at, endpoint_id=endpoint.pk)
    return True


def approvals(endpoint: Endpoint) -> list[KnownOrigins]:
    """The approvals that can be withdrawn: those of the origins of its present server; if there are none, those that
    were given for this endpoint, or for the origins that it came from. They do not depend on where its documents lead
    now."""
    here, before_it = _addresses(endpoint.authorization_server), _addresses(endpoint.moved_from)
    rows = KnownOrigins.objects.filter(registration__in=_registrations(endpoint), withdrawn_at=None)
    found = list(rows.select_related("registration").order_by("pk"))
    of_here = [row for row in found if here is not None and _is_of(row, here)]
    return of_here or [
        row for row in found if row.endpoint_id == endpoint.pk or (before_it is not None and _is_of(row, before_it))
    ]


def approval(endpoint: Endpoint) -> KnownOrigins | None:
    """The approval of the origins to which it leads now."""
    found = named(endpoint)
    return next((row for row in approvals(endpoint) if found is not None and _is_of(row, found)), None)


def come(
    registrations: Collection[ClientRegistration], endpoints: QuerySet[Endpoint], *, at: datetime
) -> Collection[UUID]:
    """Let these registrations serve endpoints that a list put at another server, too. They no longer await staff."""
    served = list(endpoints)
    rows = (
        Enablement(registration=one, endpoint=endpoint, since_at=at) for one in registrations for endpoint in served
    )
    Enablement.objects.bulk_create(rows, ignore_conflicts=True)
    endpoints.update(named_authorize_url="", named_token_url="")
    return [endpoint.pk for endpoint in served]


def let_follow(registrations: Collection[ClientRegistration], found: Addresses) -> Collection[UUID]:
    """Let other endpoints of these registrations follow, if their documents already lead to these origins, too. Each is
    discovered again before its next use. Otherwise the earlier address might go on refusing its links."""
    theirs = Q(enablements__registration__in=registrations) | Q(authorization_server__registrations__in=registrations)
    rows = awaiting().filter(theirs, interface=Interface.SMART).order_by().distinct()
    leading = [row.pk for row in rows if (there := named(row)) is not None and there.origins == found.origins]
    Endpoint.objects.filter(pk__in=leading).update(discovery_tried_at=None)
    return leading


def forget(rows: Collection[KnownOrigins], endpoint: Endpoint, *, actor: Actor, at: datetime) -> None:
    """Withdraw these approvals: nothing is sent to their origins any more. Endpoints that followed return to the state
    before; those that were first linked there await staff. The caller has locked the registrations."""
    for row in rows:
        KnownOrigins.objects.filter(pk=row.pk).update(withdrawn_at=at)
        registration_changes.note(row.registration, "origins withdrawn", actor=actor, at=at, endpoint_id=endpoint.pk)
    registrations = [row.registration_id for row in rows]
    theirs = Q(enablements__registration__in=registrations) | Q(moved_from__registrations__in=registrations)
    served = Endpoint.objects.filter(theirs)
    for server in AuthorizationServer.objects.filter(pk__in=served.values("authorization_server")):
        found = Addresses(server.authorize_url, server.token_url)
        if any(_is_of(row, found) for row in rows):
            there = list(served.filter(authorization_server=server).values_list("pk", flat=True).distinct())
            endpoints = Endpoint.objects.filter(pk__in=there)
            if not server.registrations.exists():  # a registration made there needs no approval for its own server
                _keep_there(endpoints, found)
            _turn_back(endpoints.exclude(moved_from=None).exclude(moved_from=server), found, registrations)


def _keep_there(endpoints: QuerySet[Endpoint], found: Addresses) -> None:
    """Hold the endpoints that were first linked there, because they have no address to return to. One that came by two
    moves, and was turned back from the second, awaits staff already."""
    never_elsewhere = Q(moved_from=None, named_token_url="") | Q(moved_from=F("authorization_server"))
    first_linked_there = endpoints.filter(never_elsewhere)
    first_linked_there.filter(interface=Interface.SMART).update(discovery_fault=Code.FOREIGN_ADDRESS.value)
    first_linked_there.update(
        moved_from=F("authorization_server"),
        named_authorize_url=found.authorize_url,
        named_token_url=found.token_url,
    )


def _turn_back(endpoints: QuerySet[Endpoint], found: Addresses, registrations: Collection[UUID]) -> None:
    """Let these endpoints await staff again: SMART deployments return to the earlier server, listed endpoints stay at
    the server that their list states."""
    leading = {"named_authorize_url": found.authorize_url, "named_token_url": found.token_url}
    listed = endpoints.filter(interface=Interface.PATIENT_ACCESS)
    Enablement.objects.filter(registration__in=registrations, endpoint__in=listed).delete()
    listed.update(**leading)
    endpoints.filter(interface=Interface.SMART).update(
        **leading,
        authorization_server=F("moved_from"),
        moved_from=None,
        discovery_fault=Code.FOREIGN_ADDRESS.value,
        disagreements=[],  # the next discovery finds them again
    )


def _is_of(row: KnownOrigins, found: Addresses) -> bool:
    return (row.authorize_origin, row.token_origin) == found.origins


def _addresses(server: AuthorizationServer | None) -> Addresses | None:
    return Addresses(server.authorize_url, server.token_url) if server is not None else None


def _registrations(endpoint: Endpoint) -> QuerySet[ClientRegistration]:
    """The registrations made at its present or earlier server, and those that serve it besides. Registrations that are
    over are among them, because their links go on."""
    beside = Enablement.objects.filter(endpoint=endpoint.pk).values("registration")
    servers = [one for one in (endpoint.authorization_server_id, endpoint.moved_from_id) if one is not None]
    rows = ClientRegistration.objects.filter(Q(authorization_server__in=servers) | Q(pk__in=beside))
    return rows.select_related("authorization_server").prefetch_related("known_origins")
