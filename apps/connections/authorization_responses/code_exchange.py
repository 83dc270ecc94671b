"""Check who sent an authorization response, and exchange its code.

Patients' sign-ins (`callback.completing`) and trials by staff (`trials`) make the same calls in the same order.
"""

from apps.connections.authorization_requests import binding, request_columns
from apps.connections.models import AuthorizationRequest
from apps.directory import pinning, reaching, registering
from apps.wire import authorization, token_endpoint
from apps.wire.authorization import AuthorizationResponse
from apps.wire.dialects import Interface
from apps.wire.errors import Code, EndpointMisconfigured
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenEndpoint, TokenSet


def check_issuer(request: AuthorizationRequest, response: AuthorizationResponse) -> None:
    """Check the issuer, against mix-up attacks (RFC 9207). Raises UnexpectedAnswer if the response came from another
    issuer than was asked."""
    server = reaching.authorization_server(request.endpoint, request.registration)
    if server.issuer or request.endpoint.interface == Interface.SMART:  # interface A states none, and A may send any
        authorization.check_issuer(response, server.issuer or None, is_required=server.names_issuer)


def exchange(request: AuthorizationRequest, endpoint: TokenEndpoint, code: Secret, browser: Secret) -> TokenSet:
    """Exchange the code (specification 4.1 P2 and 4.2 S3). The dialect and the registration decide whether the state is
    sent along. `endpoint` is that of the request (`reaching.token_endpoint`). If staff withdrew an approval since the
    browser left, the code may have been issued there, and nobody is sent it.

    Raises WireError and the errors of opening a sealed value. Speaks to the network.
    """
    if pinning.may_be_of_elsewhere(request.registration, asked_at=request.created_at):
        raise EndpointMisconfigured(code=Code.FOREIGN_ADDRESS)
    return token_endpoint.exchange(
        endpoint,
        code=code,
        redirect_uri=registering.redirect_uri(request.registration),
        pkce_verifier=request_columns.pkce_verifier(request),
        state=binding.state_for(request.pk, browser),
    )
