"""Discover where a SMART deployment's patients sign in, and store what was found and when (interface facts 3.2).

`discover` requests both documents of a FHIR base URL and stores what they say. Addresses that changed within known
origins are followed, as specification 4.2 rule 1 demands. Another origin is followed once staff have approved it for a
registration of the endpoint (`moving`); until then it is kept for review, and linking is off. What a FHIR server says
about an authorization server that others share is believed only if staff know that FHIR server (`trusting`).
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.audit.recording import Actor
from apps.directory import (
    discovery_candidates,
    enabling,
    endpoint_events,
    import_waits,
    moving,
    pinning,
    reaching,
    registering,
    server_metadata,
    trusting,
)
from apps.directory.import_waits import StillImporting
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint
from apps.wire import discovery
from apps.wire.dialects import FhirVersion, Interface
from apps.wire.discovery import Discovered, SmartConfiguration
from apps.wire.errors import AddressFault, Code, EndpointMisconfigured, OrganizationNotEnabled, UnsafeAddress, WireError

_LOG = logging.getLogger(__name__)

FRESH = timedelta(hours=24)
ASK_AGAIN_AFTER = timedelta(minutes=15)  # no server is asked more often, unless its answer proved wrong

_LONGEST_ADDRESS = 1000
_NOT_BELIEVED = "not believed: the endpoint is switched off"
_DISCOVERING = Actor.system("discovering")


class AddressesMoved(EndpointMisconfigured):
    """The FHIR server names another authorization server than the one that we know."""


def is_stale(endpoint: Endpoint, *, at: datetime) -> bool:
    """Whether to discover again before the addresses are next used: never asked, asked a day ago, or doubted since."""
    if endpoint.interface != Interface.SMART:
        return False
    tried_at, found_at = endpoint.discovery_tried_at, endpoint.discovered_at
    if tried_at is not None and tried_at <= at < tried_at + ASK_AGAIN_AFTER:
        return False
    return bool(endpoint.discovery_fault) or found_at is None or at >= found_at + FRESH


def doubt(endpoint: Endpoint) -> None:
    """A call to its addresses failed as calls to wrong addresses do: discover again before the next use, without
    waiting, unless discovery has just failed to help. If somebody holds the row, the next such call does this."""
    known = Endpoint.objects.filter(pk=endpoint.pk, interface=Interface.SMART, discovered_at__isnull=False)
    _update_if_free(known, discovered_at=None, discovery_tried_at=None)


def discover(endpoint: Endpoint, *, at: datetime, actor: Actor = _DISCOVERING) -> AuthorizationServer:
    """Discover, store the result, and return the endpoint's authorization server. Speaks to the network: call it
    outside transactions.

    Raises WireError: AddressesMoved, or an error of the requests. The endpoint stores which, and keeps its addresses.
    Raises `import_waits.StillImporting` if that cannot be stored now.
    """
    if endpoint.interface != Interface.SMART:
        raise EndpointMisconfigured(code=Code.NO_SMART_CONFIGURATION)  # interface A: configured, never discovered
    try:
        found = discovery.discover(reaching.fhir_server(endpoint))
        _check_lengths(found.configuration)
        moved = _keep(endpoint, found, actor=actor, at=at)
    except WireError as error:
        with import_waits.briefly():
            Endpoint.objects.filter(pk=endpoint.pk).update(discovery_tried_at=at, discovery_fault=error.code.value)
        endpoint.refresh_from_db()
        if isinstance(error, OrganizationNotEnabled):
            _note_refusal(endpoint, at=at)
        raise
    endpoint.refresh_from_db()
    if moved or endpoint.authorization_server is None:
        raise AddressesMoved(code=Code.FOREIGN_ADDRESS)
    return endpoint.authorization_server


def keep_fresh(endpoint: Endpoint, *, at: datetime) -> None:
    """Discover again if the addresses are stale, before they are used. After a failure they stay as they are;
    `linkability` decides whether they may be used. If many call this at once, one discovers, and the others go on
    with what is known instead of waiting for a slow server; during an import that holds the row, all do. Speaks to
    the network: call it outside transactions."""
    if is_stale(endpoint, at=at) and _is_first(endpoint, at=at):
        with suppress(WireError, StillImporting):  # the endpoint remembers which error
            discover(endpoint, at=at)


def _is_first(endpoint: Endpoint, *, at: datetime) -> bool:
    """Whether no other worker has begun since the row was read; from now on it counts as asked."""
    as_read = Endpoint.objects.filter(pk=endpoint.pk, discovery_tried_at=endpoint.discovery_tried_at)
    return _update_if_free(as_read, discovery_tried_at=at)


def _update_if_free(row: QuerySet[Endpoint], **columns: datetime | None) -> bool:
    """Whether the row was updated, and not locked by somebody else: an import may hold it for minutes, and nobody who
    signs in, and no refresh within its lease, can wait for that."""
    with transaction.atomic():
        free = row.select_for_update(no_key=True, skip_locked=True).values("pk")
        return bool(Endpoint.objects.filter(pk__in=free).update(**columns))


def discover_stale(*, at: datetime, most: int) -> int:
    """Discover at most `most` stale endpoints that a registration of ours could serve (`discovery_candidates`), the one
    asked longest ago first. All others are asked when somebody wants to go there. Returns how many were asked."""
    endpoints = discovery_candidates.due(tried_before=at - ASK_AGAIN_AFTER, found_before=at - FRESH, most=most)
    for endpoint in endpoints:
        keep_fresh(endpoint, at=at)
    return len(endpoints)


def _note_refusal(endpoint: Endpoint, *, at: datetime) -> None:
    """The organization refuses to publish its addresses to us (interface facts 3.1). Staff are told once."""
    registration = registering.standing_at(endpoint)
    if registration is not None and enabling.refused(registration, endpoint, is_certain=False, at=at):
        _LOG.error(
            "An organization has turned us off: endpoint %s, client registration %s", endpoint.pk, registration.pk
        )


def _check_lengths(configuration: SmartConfiguration) -> None:
    if max(len(configuration.authorize_url), len(configuration.token_url)) > _LONGEST_ADDRESS:
        raise UnsafeAddress(fault=AddressFault.LENGTH)


def _keep(endpoint: Endpoint, found: Discovered, *, actor: Actor, at: datetime) -> bool:
    """Store what was found in one transaction. True if the addresses moved; then only the notes change. Raises
    StillImporting."""
    with import_waits.briefly():
        moving.hold(endpoint)
        row = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        row.authorization_server = _held().filter(endpoints=row.pk).first()
        moved = moving.moved(row, found.configuration)
        notes = [*(f"{name} differs" for name in found.disagreements), *(f"{name} refused" for name in found.refused)]
        if moved:
            code = Code.FOREIGN_ADDRESS.value
            if row.discovery_fault != code:
                endpoint_events.note_endpoint(row.pk, "addresses moved", actor=actor, at=at)
        else:
            code = ""
            notes += _follow(row, found, actor=actor, at=at)
            row.discovered_at = at
        for name in moving.COLUMNS:
            setattr(row, name, getattr(found.configuration, name.removeprefix("named_")) if moved else "")
        row.disagreements = [*moved, *notes]
        row.discovery_fault, row.discovery_tried_at = code, at
        row.save()
    return bool(moved)


def _follow(row: Endpoint, found: Discovered, *, actor: Actor, at: datetime) -> list[str]:
    """Pair the endpoint with the authorization server at these addresses, and store its metadata. Returns notes about
    what was not believed."""
    before, configuration = row.authorization_server, found.configuration
    if before is not None and not _is_believed(row, before):
        return [_NOT_BELIEVED]
    if before is None or not _has_addresses(before, configuration):
        served_by = registering.standing_at(row)
        row.authorization_server = _server(row, before, configuration, at=at)
        if row.authorization_server != before:
            _keep_registration(row, served_by, at=at)
            trusting.estrange(row, served_by=served_by, at=at)
        action = "discovered" if row.is_switched_on else "discovered and switched off"
        if before is not None and not pinning.share_origins(before, row.authorization_server):
            row.moved_from, action = before, f"{action} at approved origins"
        endpoint_events.note_endpoint(row.pk, action, actor=actor, at=at)
    server = row.authorization_server
    assert server is not None  # noqa: S101 - just set
    if not _is_believed(row, server):
        return [_NOT_BELIEVED]
    notes = server_metadata.describe(server, found, FhirVersion(row.fhir_version))
    server.checked_at = at
    server.save()
    return notes


def _is_believed(row: Endpoint, server: AuthorizationServer) -> bool:
    """Whether this FHIR server may say anything about an authorization server that patients rely on: only while staff
    have it switched on."""
    return row.is_switched_on or not registering.is_relied_on(server)


def _has_addresses(server: AuthorizationServer, configuration: SmartConfiguration) -> bool:
    return (server.authorize_url, server.token_url) == (configuration.authorize_url, configuration.token_url)


def _server(
    row: Endpoint, before: AuthorizationServer | None, configuration: SmartConfiguration, *, at: datetime
) -> AuthorizationServer:
    """The row for these addresses. Within the same origins the endpoint's own row is updated, if no other endpoint uses
    it; otherwise the endpoint gets another one. Raises UnsafeAddress if it would mix with the sandbox."""
    addresses = {"authorize_url": configuration.authorize_url, "token_url": configuration.token_url}
    there = _held().filter(**addresses).first()
    is_near = before is not None and pinning.share_origins(before, AuthorizationServer(**addresses))
    if there is None and before is not None and is_near and not before.endpoints.exclude(pk=row.pk).exists():
        before.authorize_url, before.token_url = configuration.authorize_url, configuration.token_url
        before.source, before.found_at = AuthorizationServer.Source.DISCOVERED, at
        return before
    if there is None:
        there, _created = AuthorizationServer.objects.get_or_create(
            **addresses,
            defaults={
                "source": AuthorizationServer.Source.DISCOVERED,
                "is_sandbox": row.is_sandbox,
                "found_at": at,
                **(_issuers_kept(before, configuration) if before is not None and not is_near else {}),
            },
        )
    if there.is_sandbox != row.is_sandbox:
        raise UnsafeAddress
    return there


def _issuers_kept(before: AuthorizationServer, configuration: SmartConfiguration) -> dict[str, Any]:
    """The issuers that ID tokens may name after a move: those that staff added, and one at the approved origins. A move
    teaches no issuer elsewhere; that one is left for staff to review."""
    approved = (configuration.authorize_url, configuration.token_url)
    issuer = configuration.issuer
    if issuer and any(pinning.is_same_origin(issuer, url) for url in approved):
        return {"id_token_issuers": [known for known in before.id_token_issuers if known != before.issuer]}
    return {"issuer": before.issuer, "id_token_issuers": before.id_token_issuers}


def _held() -> QuerySet[AuthorizationServer]:
    """Rows to be written completely, locked, because staff and other endpoints write to them too. Lock the endpoint
    first."""
    return AuthorizationServer.objects.select_for_update(no_key=True)


def _keep_registration(row: Endpoint, registration: ClientRegistration | None, *, at: datetime) -> None:
    """The registration that served the endpoint continues to: same origins, another path."""
    if registration is not None:
        Enablement.objects.get_or_create(registration=registration, endpoint=row, defaults={"since_at": at})
