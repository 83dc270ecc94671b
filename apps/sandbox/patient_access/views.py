"""The three endpoints of the authorization server, per FHIR version. Its pages are in `apps.sandbox.sign_in`."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseNotFound, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Account
from apps.sandbox.patient_access import asking, exchanging, granting, parameters, revoking
from apps.sandbox.patient_access.asking import Asked
from apps.sandbox.patient_access.refusing import NEVER_STORED, Refusal, answer
from apps.sandbox.sign_in import pages, signed_in
from apps.sandbox.sign_in.dead_ends import SentBack, ShownAsPage
from apps.sandbox.sign_in.shared_types import SHARED_TYPES


@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest, version: str) -> HttpResponse:
    """Sign in, allow or cancel, and return to the application (P1). The pages post to this same URL with its query."""
    try:
        asked = asking.judge(request, version)
    except ShownAsPage as page:
        return pages.stop(request, page.reason)
    except SentBack as back:
        return pages.leave(back.address)
    step = request.POST.get("step") if request.method == "POST" else None
    if step == "cancel":
        signed_in.leave(request)
        return pages.leave(asked.way_back(error="access_denied"))
    if step == "sign-in":
        return _sign_in(request, asked)
    account = signed_in.account(request)
    if step == "someone-else" or account is None or not account.patient_ids(version):
        signed_in.forget(request)
        return pages.sign_in(request, asked.application.name, asked.redirect_uri)
    if step == "allow":
        return _allow(request, asked, account)
    return pages.consent(request, asked.application.name, asked.redirect_uri, version, account)


@csrf_exempt
def token(request: HttpRequest, version: str) -> HttpResponse:
    """Tokens for a code or a refresh token (P2, P3): a POST with the form type, and parameters in the query."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        given = _machine_parameters(request, parameters.of_token_request)
        application = exchanging.authenticated(given, version)
        answered = exchanging.grant_of(given)(application, given, version=version, at=clock.now())
        return JsonResponse(answered, headers=NEVER_STORED)
    except Refusal as refusal:
        return answer(refusal)


@csrf_exempt
def revoke(request: HttpRequest, version: str) -> HttpResponse:
    """Revoke a token (RFC 7009)."""
    if scenarios.chosen("revocation") == "off":
        return HttpResponseNotFound()
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        given = _machine_parameters(request, parameters.of_revocation)
        revoking.revoke(exchanging.authenticated(given, version), given, version=version, at=clock.now())
    except Refusal as refusal:
        return answer(refusal)
    return HttpResponse(b"", headers=NEVER_STORED)


def _machine_parameters(request: HttpRequest, read: Callable[[HttpRequest], dict[str, str]]) -> dict[str, str]:
    if not parameters.is_form(request):
        raise Refusal("invalid_request", "The Content-Type must be application/x-www-form-urlencoded.")
    try:
        return read(request)
    except parameters.Repeated:
        raise Refusal("invalid_request", "A parameter came more than once.") from None


def _sign_in(request: HttpRequest, asked: Asked) -> HttpResponse:
    account = signed_in.check(request.POST.get("username", ""), request.POST.get("password", ""))
    if account is None:
        return pages.sign_in(request, asked.application.name, asked.redirect_uri, problem="unknown")
    if not account.patient_ids(asked.version):
        return pages.sign_in(request, asked.application.name, asked.redirect_uri, problem="no-record")
    signed_in.remember(request, account, keep="keep" in request.POST)
    return pages.consent(request, asked.application.name, asked.redirect_uri, asked.version, account)


def _allow(request: HttpRequest, asked: Asked, account: Account) -> HttpResponse:
    error = scenarios.chosen("authorize_error")
    if error != "none":
        return pages.leave(asked.way_back(error=error))
    offered = SHARED_TYPES[asked.version]
    denied = offered.keys() - set(request.POST.getlist("type"))
    code = granting.allow(asked, account, denied_types=denied, at=clock.now())
    signed_in.leave(request)
    return pages.leave(asked.way_back(code=code))
