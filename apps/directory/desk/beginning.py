"""Begin a registration at the desk: for an endpoint that patients should reach, switched off until its last step.

What is needed first depends on the interface: the addresses of interface A are entered by staff (specification 4.1
rule 4), those of B are discovered; and where we stand already at the same place, that registration may serve.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.directory import (
    discovering,
    enabling,
    endpoint_events,
    pairing,
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
    """Nobody entered where patients of this endpoint sign in."""


class NotFound(Exception):
    """It was asked where its patients sign in, and did not say; the endpoint remembers why."""


@dataclass(frozen=True)
class Beginning:
    """Where to go on: a registration, or a choice of those at the same place, which may serve this endpoint too."""

    registration: ClientRegistration | None
    neighbors: tuple[ClientRegistration, ...] = ()


def begin(endpoint: Endpoint, *, wants_own: bool = False, actor: Actor, at: datetime) -> Beginning:
    """The registration that serves the endpoint, or a new one, or those that may serve it: unless `wants_own`.

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
    """Let a registration that was made beside it serve this endpoint too: a stranger, once it is switched on. Raises
    `enabling.NotBeside`."""
    enabling.serve(registration, endpoint, actor=actor, at=at)


def name_addresses(
    endpoint: Endpoint, *, authorize_url: str, token_url: str, revocation_url: str, actor: Actor, at: datetime
) -> None:
    """Enter where patients of an endpoint of interface A sign in; an authorization server with both addresses is used
    if there is one. Where we are registered there, a stranger waits for its own switch. Whoever comes second, as with
    a button that is pressed twice, changes nothing. Raises ValidationError for addresses we would not use, and where
    another version uses them."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
        if row.authorization_server_id is None:
            row.authorization_server = _server(authorize_url, token_url, revocation_url, row, at=at)
            pairing.check_endpoint(row)
            is_stranger = trusting.estrange(row, at=at)
            row.save(update_fields=["authorization_server", *trusting.COLUMNS])
            action = "addresses entered and switched off" if is_stranger else "addresses entered"
            endpoint_events.note_endpoint(row.pk, action, actor=actor, at=at)
    endpoint.refresh_from_db()


def is_configured(endpoint: Endpoint) -> bool:
    """Whether staff enter its addresses, rather than asking for them."""
    return endpoint.interface != Interface.SMART


def _server(
    authorize_url: str, token_url: str, revocation_url: str, row: Endpoint, *, at: datetime
) -> AuthorizationServer:
    """The one that is there stays as it is: others write to it."""
    there = AuthorizationServer.objects.filter(authorize_url=authorize_url, token_url=token_url).first()
    if there is not None:
        pairing.check_server(there)
        return there
    made = AuthorizationServer(
        source=AuthorizationServer.Source.CONFIGURED,
        authorize_url=authorize_url,
        token_url=token_url,
        revocation_url=revocation_url,
        is_sandbox=row.is_sandbox,
        found_at=at,
    )
    pairing.check_server(made)
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
    """Registrations at other authorization servers that know these origins and are discovered too: other organizations
    of one deployment (interface facts, section 8). Each version of interface A has its own."""
    if server.source != AuthorizationServer.Source.DISCOVERED:
        return ()
    rows = ClientRegistration.objects.exclude(status__in=registering.OVER).select_related("authorization_server")
    rows = rows.filter(authorization_server__source=AuthorizationServer.Source.DISCOVERED)
    rows = rows.filter(is_sandbox=server.is_sandbox).order_by("label", "pk")
    return tuple(row for row in rows.prefetch_related("known_origins") if pinning.knows(row, server))


def _registered(endpoint: Endpoint, server: AuthorizationServer, *, actor: Actor, at: datetime) -> ClientRegistration:
    """A new one, switched off in the transaction that makes it. One that was made meanwhile stays as it is."""
    with transaction.atomic():
        locked = AuthorizationServer.objects.select_for_update().get(pk=server.pk)
        made_meanwhile = registering.standing(locked)
        if made_meanwhile is not None:
            return made_meanwhile
        dialect = reaching.dialect(endpoint, None)
        registration = trusting.register(locked, dialect=dialect, looked_at=endpoint, actor=actor, at=at)
        switching.switch_registration(registration, is_on=False, actor=actor, at=at)
    return registration
