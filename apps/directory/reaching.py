"""How to reach an endpoint and its authorization server: rows of the directory as the wire's own types.

Which origins we connect to is decided here, from a setting and from what staff approved, and nowhere else.
"""

from dataclasses import replace

from django.conf import settings

from apps.directory import credentials, pinning
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, Dialect, FhirVersion
from apps.wire.fhir import FhirServer
from apps.wire.token_endpoint import TokenEndpoint


def address_policy() -> AddressPolicy:
    """What this installation permits beyond https on port 443."""
    return AddressPolicy(
        allow_loopback_http=settings.ALLOW_LOOPBACK_HTTP,
        approved_origins=frozenset(ApprovedOrigin.objects.values_list("origin", flat=True)),
    )


def dialect(endpoint: Endpoint) -> Dialect:
    """How this kind of server differs. Import and admin refuse a dialect nobody knows."""
    return DIALECTS[endpoint.dialect]


def fhir_server(endpoint: Endpoint) -> FhirServer:
    """Where the endpoint's records are (specification 4.1 rule 1: the version is decided by the base address)."""
    return FhirServer(
        base_url=endpoint.fhir_base_url,
        version=FhirVersion(endpoint.fhir_version),
        dialect=dialect(endpoint),
        policy=address_policy(),
    )


def authorization_server(endpoint: Endpoint, registration: ClientRegistration) -> AuthorizationServer:
    """Where patients of this endpoint sign in under this registration: the endpoint's own authorization server where it
    has the origins the registration was made for, and otherwise where it was made. Never any other place."""
    made_at, own = registration.authorization_server, endpoint.authorization_server
    return own if own is not None and pinning.share_origins(own, made_at) else made_at


def token_endpoint(endpoint: Endpoint, registration: ClientRegistration) -> TokenEndpoint:
    """The token endpoint of `authorization_server`, with our proof: codes and tokens go nowhere else.

    Raises ClientRejected where no usable credentials are stored, and what opening a sealed value raises.
    """
    server = authorization_server(endpoint, registration)
    return TokenEndpoint(
        url=server.token_url,
        client=credentials.client(registration),
        dialect=_dialect(endpoint, registration),
        policy=address_policy(),
        revocation_url=server.revocation_url or None,
    )


def _dialect(endpoint: Endpoint, registration: ClientRegistration) -> Dialect:
    """The dialect, where the registration does not know better."""
    usual, sends_state = dialect(endpoint), registration.sends_state
    return usual if sends_state is None else replace(usual, sends_state_in_exchange=sends_state)
