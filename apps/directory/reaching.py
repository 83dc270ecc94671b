"""How to reach an endpoint and its authorization server: rows of the directory converted to the wire's types.

Only here is it decided which origins we connect to, from a setting and from what staff approved; and how we
communicate: as the dialect says, with the client registration's overrides.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from apps.directory import credentials, moving, pinning
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Endpoint
from apps.vault.sealing import KeyRing
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Client
from apps.wire.dialects import DIALECTS, Dialect, FhirVersion, Interface, Placement
from apps.wire.errors import Code, EndpointMisconfigured
from apps.wire.fhir import FhirServer
from apps.wire.token_endpoint import TokenEndpoint

# Columns of a client registration, each of which overrides one value of the dialect. Empty ones override nothing.
OVERRIDES: Mapping[str, str] = MappingProxyType(
    {
        "token_parameters": "token_parameters",
        "sends_state": "sends_state_in_exchange",
        "sends_aud": "sends_aud",
        "accept": "accept",
        "refresh_window_hours": "refresh_window_hours",
        "idle_limit_days": "idle_limit_days",
        "minimum_refresh_seconds": "minimum_refresh_interval_seconds",
        "assumed_lifetime_seconds": "assumed_lifetime_seconds",
        "requests_per_minute": "requests_per_minute",
        "parallel_requests": "parallel_requests",
        "runs_at_once": "runs_at_once",
        "revokes_replaced": "revokes_replaced",
    }
)


def address_policy() -> AddressPolicy:
    """What this installation permits beyond https on port 443."""
    return AddressPolicy(
        allow_loopback_http=settings.ALLOW_LOOPBACK_HTTP,
        approved_origins=frozenset(ApprovedOrigin.objects.values_list("origin", flat=True)),
    )


def _policy_for(*urls: str) -> AddressPolicy:
    """The policy for calls to these addresses: approved origins are queried only if one needs them."""
    if any(url.startswith("https://") and ":" in urlsplit(url).netloc for url in urls):
        return address_policy()
    return AddressPolicy(allow_loopback_http=settings.ALLOW_LOOPBACK_HTTP)


def is_known(endpoint: Endpoint, registration: ClientRegistration | None = None) -> bool:
    """Whether this release knows the endpoint's dialect and the registration's overrides. Imports and the admin refuse
    unknown ones, but a newer release may have written them."""
    try:
        dialect(endpoint, registration)
    except EndpointMisconfigured:
        return False
    return True


def dialect(endpoint: Endpoint, registration: ClientRegistration | None) -> Dialect:
    """The dialect of this server with the registration's overrides. Raises EndpointMisconfigured if this release does
    not know it."""
    if endpoint.dialect not in DIALECTS:
        raise EndpointMisconfigured
    usual = DIALECTS[endpoint.dialect]
    if registration is None:
        return usual
    written = {name: getattr(registration, column) for column, name in OVERRIDES.items()}
    try:
        typed = {name: _typed(name, value) for name, value in written.items() if value not in {None, ""}}
    except ValueError:
        raise EndpointMisconfigured from None
    return replace(usual, **typed)


def usual_dialect(server: AuthorizationServer) -> Dialect:
    """The dialect of an authorization server, according to its endpoints; interface A's if it has none yet."""
    endpoint = server.endpoints.first()
    return DIALECTS[endpoint.dialect if endpoint else Interface.PATIENT_ACCESS.value]


def runs_at_once(dialect_name: str, override: int | None) -> int:
    """The same for this value alone, if only columns were read (`records.syncing.workers.leasing`). 0 for an unknown
    dialect, because nothing could be requested."""
    if dialect_name not in DIALECTS:
        return 0
    return override if override is not None else DIALECTS[dialect_name].runs_at_once


def refreshes_per_second(dialect_name: str) -> float:
    """How often servers of this dialect are asked for new tokens when nothing is wrong. Registrations cannot override
    it."""
    return DIALECTS[dialect_name].refreshes_per_second


def fhir_server(endpoint: Endpoint, registration: ClientRegistration | None = None) -> FhirServer:
    """Where the endpoint's records are (specification 4.1 rule 1: the base URL decides the version). For requests with
    tokens, pass the registration that they were issued to."""
    return FhirServer(
        base_url=endpoint.fhir_base_url,
        version=FhirVersion(endpoint.fhir_version),
        dialect=dialect(endpoint, registration),
        policy=address_policy(),
    )


def authorization_server(endpoint: Endpoint, registration: ClientRegistration) -> AuthorizationServer:
    """Where patients of this endpoint sign in with this registration: the endpoint's own authorization server if the
    registration knows its origins (`pinning`); otherwise the one it had before it moved, if the registration knows
    that; otherwise the one for which the registration was made. Never any other."""
    made_at, own = registration.authorization_server, endpoint.authorization_server
    if own is None or pinning.knows(registration, own):
        return own or made_at
    before = endpoint.moved_from
    return before if before is not None and pinning.knows(registration, before) else made_at


def token_endpoint(
    endpoint: Endpoint, registration: ClientRegistration, *, ring: KeyRing | None = None
) -> TokenEndpoint:
    """The token endpoint of `authorization_server`, with our credentials: codes and tokens are sent nowhere else.
    `ring` as in `credentials.client`.

    Raises ClientRejected if there are no usable credentials, EndpointMisconfigured if nothing may be sent now, and the
    errors of opening a sealed value.
    """
    server = _open_server(endpoint, registration)
    return TokenEndpoint(
        url=server.token_url,
        client=credentials.client(registration, ring=ring),
        dialect=dialect(endpoint, registration),
        policy=_policy_for(server.token_url, server.revocation_url),
        revocation_url=server.revocation_url or None,
    )


def system_token_endpoint(endpoint: Endpoint, registration: ClientRegistration, client: Client) -> TokenEndpoint:
    """The same token endpoint for system access, with a system account's credentials (`credentials.system_client`)."""
    url = _open_server(endpoint, registration).token_url
    return TokenEndpoint(url=url, client=client, dialect=dialect(endpoint, registration), policy=_policy_for(url))


def _open_server(endpoint: Endpoint, registration: ClientRegistration) -> AuthorizationServer:
    """The same authorization server. Raises EndpointMisconfigured if the endpoint never had it: its tokens were issued
    by the server where it is held (`moving`), and any other would call them invalid."""
    server = authorization_server(endpoint, registration)
    if moving.is_held(endpoint) and server.pk != endpoint.authorization_server_id:
        raise EndpointMisconfigured(code=Code.FOREIGN_ADDRESS)
    return server


def _typed(name: str, value: Any) -> Any:
    """A column's value in the dialect's type."""
    if name == "accept":
        return MappingProxyType(dict.fromkeys(FhirVersion, value))
    return Placement(value) if name == "token_parameters" else value
