"""Whose record the tokens open, and who signed in for it (specification 5.1.5; interface facts 3.6 and 3.7).

On interface A the patient's own server is asked. On interface B the token response may name the patient; if not, the
verified ID token does, if it names a patient of the same FHIR base URL; if not, the server is asked. A patient who is
named is read before we believe it. An ID token that we asked for is verified before the tokens that came with it are
used.
"""

from dataclasses import dataclass
from datetime import datetime

from apps.connections.grants import scoping
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import AuthorizationRequest
from apps.directory import reaching
from apps.wire import fhir, identity
from apps.wire.dialects import Interface
from apps.wire.errors import (
    AccessRefused,
    Code,
    IdentityFault,
    IdentityRefused,
    NotFound,
    OrganizationNotEnabled,
    RequestRefused,
)
from apps.wire.fhir import FhirServer, Resource
from apps.wire.identity import KeyFinder
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

_KEYS = KeyFinder(reaching.address_policy)


@dataclass(frozen=True, repr=False)
class Found:
    """The people whose records these tokens open, none if that could not be determined, and the launch context."""

    people: tuple[Resource, ...]
    context: LaunchContext


def verify(request: AuthorizationRequest, token_set: TokenSet, *, nonce: Secret | None, at: datetime) -> str:
    """Who signed in, as "Type/id" relative to the endpoint's FHIR base URL; empty if that is not said. An ID token that
    we did not ask for proves nothing and is ignored. If openid was granted and no ID token came, that is an error only
    without PKCE: PKCE ties the code to this browser as the nonce would have done (RFC 9700 section 2.1.1).

    `nonce` is the one sent, or None. Raises IdentityRefused for an ID token that is invalid or missing, and the errors
    of finding the issuer's keys. Speaks to the network.
    """
    is_deployment = request.endpoint.interface == Interface.SMART
    if not is_deployment or not scoping.asks_identity(request.requested_scope):
        return ""
    if token_set.id_token is None:
        is_granted = scoping.asks_identity(scoping.granted(request.requested_scope, token_set.scope))
        if is_granted and request.sealed_pkce_verifier is None:
            raise IdentityRefused(fault=IdentityFault.MISSING)
        return ""
    server = reaching.authorization_server(request.endpoint, request.registration)
    verified = identity.verify(
        token_set.id_token,
        issuers=server.id_token_issuers,
        client_id=request.registration.client_id,
        nonce=nonce,
        keys=_KEYS,
        at=at,
    )
    reference = identity.fhir_user_reference(verified, request.endpoint.fhir_base_url)
    return "/".join(reference) if reference else ""


def find(request: AuthorizationRequest, token_set: TokenSet, *, fhir_user: str) -> Found:
    """Ask whose record it is, in the order of interface facts 3.6. `fhir_user` as `verify` returned it.

    Raises WireError; OrganizationNotEnabled if the last request is refused without a reason although the token is
    seconds old, as one for another organization would be (facts 3.1). Speaks to the network.
    """
    server = reaching.fhir_server(request.endpoint, request.registration)
    context = LaunchContext(fhir_user=fhir_user, encounter=token_set.encounter or "")
    if request.endpoint.interface != Interface.SMART:
        return Found(fhir.find_patients(server, access_token=token_set.access_token), LaunchContext())
    try:
        return Found(_people(server, token_set, fhir_user), context)
    except AccessRefused as refusal:
        if refusal.code is Code.INSUFFICIENT_SCOPE:
            raise
        raise OrganizationNotEnabled(code=refusal.code, status=refusal.status) from None


def _people(server: FhirServer, token_set: TokenSet, fhir_user: str) -> tuple[Resource, ...]:
    token = token_set.access_token
    if token_set.patient is not None:
        return (fhir.read(server, access_token=token, resource_type="Patient", logical_id=token_set.patient),)
    resource_type, _, logical_id = fhir_user.partition("/")
    if resource_type == "Patient":
        try:
            return (fhir.read(server, access_token=token, resource_type="Patient", logical_id=logical_id),)
        except (NotFound, AccessRefused):
            pass  # somebody else's record was chosen, which the token response did not name
    try:
        return fhir.find_patients(server, access_token=token)
    except (NotFound, RequestRefused):  # many servers refuse a search without a patient (facts 3.12)
        return ()
