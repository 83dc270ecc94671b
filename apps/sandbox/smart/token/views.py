"""The token endpoint of interface B: POST with a form body, JSON response, readable by pages of any origin."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from apps.sandbox import clock, scenarios
from apps.sandbox.smart import addresses, refusing
from apps.sandbox.smart.clients import authenticating, posting
from apps.sandbox.smart.refusing import Refusal
from apps.sandbox.smart.token import exchanging, issuing, refreshing, systems
from apps.sandbox.smart.token.token_address import TokenAddress


@csrf_exempt
def token(request: HttpRequest, tenant: str, host: str = "") -> HttpResponse:
    """Tokens for a code, a refresh token or a system. 404 for the form of the URL that is not current (X30), and for
    the host name from which the endpoint has moved."""
    is_right_form = bool(host) == (scenarios.chosen("token_path") == "hosts")
    if not (is_right_form and addresses.gives_tokens(request)):
        return refusing.for_programs(HttpResponse(status=404))
    if (otherwise := refusing.unless_posted(request)) is not None:
        return otherwise
    given: dict[str, str] = {}
    try:
        given = posting.form(request)
        answered = _answered(request, given, TokenAddress(tenant, host), at=clock.now())
        return refusing.for_programs(JsonResponse(answered))
    except Refusal as refusal:
        return refusing.answer(refusal, client_id=given.get("client_id", ""), tenant=tenant)


def _answered(request: HttpRequest, given: dict[str, str], address: TokenAddress, *, at: datetime) -> issuing.Answer:
    audiences = [addresses.as_asked(addresses.token(address.tenant, address.host), request)]
    match given.get("grant_type"):
        case "client_credentials":
            return systems.grant(request, given, address, audiences=audiences, at=at)
        case "authorization_code":
            work = exchanging.exchange
        case "refresh_token":
            work = refreshing.refresh
        case None:
            raise refusing.invalid_request()
        case _:
            raise Refusal("unsupported_grant_type", "oauth2:token:unsupported-grant-type")
    return work(authenticating.application_of(request, given, audiences=audiences, at=at), given, address, at=at)
