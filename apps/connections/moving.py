"""Approve that an endpoint moves to another origin: its links go on there with the tokens that they have.

A document at the endpoint's own host, or a list, states the new addresses. Tokens follow only after a member of staff
has compared both addresses, for each endpoint, and asked the provider. Only an endpoint with links can be approved: an
attacker who can write documents, or rows of the directory, has no links, because the genuine server issues no codes for
the attacker's FHIR root. Tokens and secrets go to exactly the pair of origins that was compared.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, prefetch_related_objects

from apps.audit.recording import Actor
from apps.connections.link_health import breaking
from apps.connections.models import Connection
from apps.connections.refreshing import early_refreshes
from apps.directory import consistency, discovering, import_waits, moving, pinning, reaching, registering, trusting
from apps.directory.discovering import AddressesMoved
from apps.directory.import_waits import StillImporting
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.directory.moving import Addresses
from apps.wire.dialects import Interface
from apps.wire.errors import WireError


class NotApproved(Exception):
    """Nothing was changed. The text, which is constant, says why."""


class NothingMoved(NotApproved):
    """It leads to no origin that awaits staff."""


class LeadsElsewhere(NotApproved):
    """It leads to other addresses than those that staff compared."""


class NobodyLinked(NotApproved):
    """The endpoint has no links. Register at the new addresses, as with any other provider."""


class NotAsked(NotApproved):
    """It could not be discovered just now."""


class Unsafe(NotApproved):
    """We do not connect to such an address."""


@dataclass(frozen=True)
class Move:
    """An endpoint that leads to another origin. `name` is that of one of its providers, or empty. `links` counts its
    links, even those whose patients must sign in; `waiting` of them have tokens that were issued at an address whose
    approval was withdrawn. `approved_at` is when staff approved the address to which it leads now. `may_withdraw`: that
    approval, or one of the earlier address, can be withdrawn."""

    endpoint: Endpoint
    name: str
    before: Addresses
    named: Addresses
    links: int
    waiting: int = 0
    approved_at: datetime | None = None
    may_withdraw: bool = False

    @property
    def awaits(self) -> bool:
        """Whether staff have to decide. If not, it was approved, or leads back to the earlier address."""
        return moving.awaits(self.endpoint)

    @property
    def going_on(self) -> int:
        """How many links are refreshed at the earlier address."""
        return self.links - self.waiting

    @property
    def is_held(self) -> bool:
        """Whether its links have no earlier address at which they could go on meanwhile."""
        return moving.awaits(self.endpoint) and moving.is_held(self.endpoint)


def look(endpoint: Endpoint) -> Move | None:
    """The endpoint's move, whether it awaits staff or was approved; None if there is none."""
    before, named = moving.before(endpoint), moving.named(endpoint)
    approvals, approval = moving.approvals(endpoint), moving.approval(endpoint)
    if before is None or named is None or not (approvals or moving.awaits(endpoint)):
        return None
    living = Connection.objects.living().filter(endpoint=endpoint)
    names = endpoint.providers.filter(vanished_at__isnull=True).order_by("name").values_list("name", flat=True)
    return Move(
        endpoint,
        names.first() or "",
        before,
        named,
        living.count(),
        waiting=_waiting([endpoint])[endpoint.pk],
        approved_at=approval.approved_at if approval is not None and not moving.awaits(endpoint) else None,
        may_withdraw=bool(approvals),
    )


def _waiting(endpoints: Collection[Endpoint]) -> Counter[UUID]:
    """How many links of each of these have tokens that may be sent nowhere now."""
    links = Connection.objects.living().filter(endpoint__in=endpoints).order_by()
    issued = links.values_list("endpoint", "registration", "stored_token_set__token_origin")
    counted = list(issued.annotate(count=Count("pk")))
    known = ClientRegistration.objects.select_related("authorization_server").prefetch_related("known_origins")
    registrations = known.in_bulk({registration for _endpoint, registration, _origin, _count in counted})
    found = Counter[UUID]()
    for endpoint, registration, origin, count in counted:
        if not pinning.knows_issuer(registrations[registration], origin or ""):
            found[endpoint] += count
    return found


def approve(endpoint: Endpoint, *, seen: Addresses, actor: Actor, at: datetime) -> None:
    """Let the tokens and secrets of this endpoint's registrations go to the addresses that somebody has compared. Doing
    it twice changes nothing. Makes requests: call it outside transactions.

    A SMART deployment is discovered once more, so that only what it states now is approved. Raises NotApproved, and
    `import_waits.StillImporting`; nothing was approved then.
    """
    try:
        _ask_again(endpoint, actor=actor, at=at)
    except WireError:
        raise NotAsked("It could not be asked where it leads now.") from None
    if not moving.awaits(endpoint) and moving.approval(endpoint) is not None and moving.named(endpoint) == seen:
        return
    wanted = _checked(endpoint, seen)
    following: Collection[UUID] = ()
    with import_waits.briefly():
        registrations = _locked(wanted)
        if endpoint.interface == Interface.SMART:
            _estrange_others(endpoint, seen, actor=actor, at=at)
        for registration in registrations:
            moving.know(registration, endpoint, seen, actor=actor, at=at)
        if endpoint.interface == Interface.PATIENT_ACCESS:
            following = moving.come(registrations, _beside(endpoint, registrations), at=at)
        else:
            following = moving.let_follow(registrations, seen)
    with suppress(WireError, StillImporting):  # it answered a moment ago; whoever needs it next asks again
        _ask_again(endpoint, actor=actor, at=at)
    early_refreshes.resume({endpoint.pk, *following}, at=at)
    endpoint.refresh_from_db()


def withdraw(endpoint: Endpoint, *, actor: Actor, at: datetime) -> None:
    """Withdraw an approval: nothing is sent there any more. Every endpoint that followed awaits staff again, and its
    links go on at the earlier address. Those whose tokens were issued there wait, as do all links of an endpoint that
    was first linked there. Raises NothingMoved if there is no approval, and `import_waits.StillImporting`; nothing was
    withdrawn then."""
    with import_waits.briefly():
        _locked([row.registration_id for row in moving.approvals(endpoint)])
        rows = moving.approvals(endpoint)  # somebody else may have been first
        if not rows:
            raise NothingMoved("No approval stands there.")
        moving.forget(rows, endpoint, actor=actor, at=at)
    endpoint.refresh_from_db()


def waiting() -> Sequence[Move]:
    """The moves that await staff where patients are linked, at most 50, with a constant number of queries."""
    found = breaking.endpoints_moved()
    endpoints = [endpoint for endpoint, _links in found]
    prefetch_related_objects(endpoints, "authorization_server", "moved_from")
    listed = Provider.objects.filter(portals__endpoint=OuterRef("pk"), vanished_at__isnull=True).order_by("name")
    rows, waiting = Endpoint.objects.filter(pk__in=[endpoint.pk for endpoint in endpoints]), _waiting(endpoints)
    names = dict(rows.values_list("pk", Subquery(listed.values("name")[:1])))
    return [
        Move(endpoint, names.get(endpoint.pk) or "", before, named, links, waiting=waiting[endpoint.pk])
        for endpoint, links in found
        if (before := moving.before(endpoint)) is not None and (named := moving.named(endpoint)) is not None
    ]


def _ask_again(endpoint: Endpoint, *, actor: Actor, at: datetime) -> None:
    if endpoint.interface == Interface.SMART:
        with suppress(AddressesMoved):
            discovering.discover(endpoint, at=at, actor=actor)
    endpoint.refresh_from_db()


def _estrange_others(endpoint: Endpoint, seen: Addresses, *, actor: Actor, at: datetime) -> None:
    """Let every other endpoint that has stated these addresses already await staff: as nobody relied on the addresses
    until now, any FHIR host could state them."""
    there = AuthorizationServer.objects.filter(authorize_url=seen.authorize_url, token_url=seen.token_url).first()
    if there is not None:
        trusting.estrange_listed(there, looked_at=endpoint, actor=actor, at=at)


def _checked(endpoint: Endpoint, seen: Addresses) -> set[UUID]:
    """The registrations that are to follow. Raises NotApproved."""
    if not moving.awaits(endpoint):
        raise NothingMoved("It leads to no other origin.")
    if moving.named(endpoint) != seen:
        raise LeadsElsewhere("It leads to other addresses than those that were looked at.")
    try:
        consistency.check_addresses([seen.authorize_url, seen.token_url], policy=reaching.address_policy())
    except ValidationError:
        raise Unsafe("We do not connect to one of these addresses.") from None
    wanted = _registrations(endpoint)
    if not wanted:
        raise NobodyLinked("Nobody is linked there: register there, as at a new provider.")
    return wanted


def _registrations(endpoint: Endpoint) -> set[UUID]:
    """The registrations of its links and, if it has any, the registration for new sign-ins."""
    linked = set(Connection.objects.living().filter(endpoint=endpoint).values_list("registration_id", flat=True))
    before = registering.standing(endpoint.moved_from) if endpoint.moved_from is not None else None
    standing = registering.standing_at(endpoint) or before
    return linked | ({standing.pk} if linked and standing is not None else set())


def _locked(ids: Collection[UUID]) -> list[ClientRegistration]:
    """These registrations, locked in the order of their ids. Links can still be made meanwhile."""
    rows = ClientRegistration.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "authorization_server"
    )
    return list(rows.filter(pk__in=ids).order_by("pk"))


def _beside(endpoint: Endpoint, registrations: Collection[ClientRegistration]) -> QuerySet[Endpoint]:
    """The endpoints that a list put at the same server, and that have links of these registrations."""
    linked = Connection.objects.living().filter(registration__in=registrations, endpoint=OuterRef("pk"))
    there = moving.awaiting().filter(
        authorization_server=endpoint.authorization_server, interface=Interface.PATIENT_ACCESS
    )
    return there.filter(Exists(linked))
