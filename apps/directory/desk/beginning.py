"""Begin a registration at the desk, for an endpoint that patients are to reach. It is switched off until its last step.

The first step depends on the interface: staff enter the addresses of interface A (specification 4.1 rule 4), those of B
are discovered. If we are already registered in the same deployment, that registration may serve the endpoint.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.directory import (
    consistency,
    discovering,
    enabling,
    endpoint_events,
    pinning,
    reaching,
    registering,
    switching,
    trusting,
)
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.wire.dialects import Interface
from apps.wire.errors import WireError


class AddressesMissing(Exception):
    """Staff have yet to enter where patients of this endpoint sign in."""


class NotFound(Exception):
    """Discovery found no sign-in addresses; the endpoint stores why."""


@dataclass(frozen=True)
class Beginning:
    """How to continue: with a registration, or by choosing one of the same deployment that may serve this endpoint
    too."""

    registration: ClientRegistration | None
    neighbors: tuple[ClientRegistration, ...] = ()


def begin(endpoint: Endpoint, *, wants_own: bool = False, actor: Actor, at: datetime) -> Beginning:
    """The registration that serves the endpoint; or those that may serve it, unless `wants_own`; or a new one.

    Raises AddressesMissing and NotFound. Speaks to the network: call it outside transactions.
    """
    server = endpoint.authorization_server
    if server is None:
        server = _discovered(endpoint, actor=actor, at=at)
        endpoint = Endpoint.objects.select_related("authorization_server").get(pk=endpoint.pk)
    standing = registering.standing_at(endpoint)
    if standing is not None:
        return Beginning(standing)
    neighbors = () if wants_own else _neighbors(server)
    return Beginning(None, neighbors) if neighbors else Beginning(_registered(endpoint, server, actor=actor, at=at))


def serve(endpoint: Endpoint, registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """Let a registration of the same deployment serve this endpoint too; a stranger, once it is switched on. Raises
    `enabling.NotBeside`."""
    enabling.serve(registration, endpoint, actor=actor, at=at)


def name_addresses(
    endpoint: Endpoint, *, authorize_url: str, token_url: str, revocation_url: str, actor: Actor, at: datetime
) -> None:
    """Enter where patients of an endpoint of interface A sign in; an existing authorization server with both addresses
    is used. If we are registered there, a stranger must be switched on separately. A second call, as after a double
    submit, changes nothing. Raises ValidationError for addresses that we would not use, and if another version uses
    them."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
        if row.authorization_server_id is None:
            row.authorization_server = _server(authorize_url, token_url, revocation_url, row, at=at)
            consistency.check_endpoint(row)
            is_stranger = trusting.estrange(row, at=at)
            row.save(update_fields=["authorization_server", *trusting.COLUMNS])
            action = "addresses entered and switched off" if is_stranger else "addresses entered"
            endpoint_events.note_endpoint(row.pk, action, actor=actor, at=at)
    endpoint.refresh_from_db()


def is_configured(endpoint: Endpoint) -> bool:
    """Whether staff enter its addresses, rather than discovering them."""
    return endpoint.interface != Interface.SMART


def _server(
    authorize_url: str, token_url: str, revocation_url: str, row: Endpoint, *, at: datetime
) -> AuthorizationServer:
    """An existing one is not changed, because others write to it."""
    there = AuthorizationServer.objects.filter(authorize_url=authorize_url, token_url=token_url).first()
    if there is not None:
        consistency.check_server(there)
        return there
    made = AuthorizationServer(
        source=AuthorizationServer.Source.CONFIGURED,
        authorize_url=authorize_url,
        token_url=token_url,
        revocation_url=revocation_url,
        is_sandbox=row.is_sandbox,
        found_at=at,
    )
    consistency.check_server(made)
    made.save()
    return made


def _discovered(endpoint: Endpoint, *, actor: Actor, at: datetime) -> AuthorizationServer:
    if is_configured(endpoint):
        raise AddressesMissing
    try:
        return discovering.discover(endpoint, at=at, actor=actor)
    except WireError:
        raise NotFound from None


def _neighbors(server: AuthorizationServer) -> tuple[ClientRegistration, ...]:
    """Registrations at other discovered authorization servers that know these origins: other organizations of one
    deployment (interface facts, section 8). On interface A each version has its own."""
    if server.source != AuthorizationServer.Source.DISCOVERED:
        return ()
    rows = ClientRegistration.objects.exclude(status__in=registering.OVER).select_related("authorization_server")
    rows = rows.filter(authorization_server__source=AuthorizationServer.Source.DISCOVERED)
    rows = rows.filter(is_sandbox=server.is_sandbox).order_by("label", "pk")
    return tuple(row for row in rows.prefetch_related("known_origins") if pinning.knows(row, server))


def _registered(endpoint: Endpoint, server: AuthorizationServer, *, actor: Actor, at: datetime) -> ClientRegistration:
    """A new one, switched off in the same transaction. One that was made meanwhile is returned unchanged."""
    with transaction.atomic():
        locked = AuthorizationServer.objects.select_for_update().get(pk=server.pk)
        made_meanwhile = registering.standing(locked)
        if made_meanwhile is not None:
            return made_meanwhile
        dialect = reaching.dialect(endpoint, None)
        registration = trusting.register(locked, dialect=dialect, looked_at=endpoint, actor=actor, at=at)
        switching.switch_registration(registration, is_on=False, actor=actor, at=at)
    return registration
