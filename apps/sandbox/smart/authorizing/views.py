"""The authorization endpoint of interface B (specification S2), and signing out. Its pages are in `pages`."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Account
from apps.sandbox.sign_in import pages as provider
from apps.sandbox.sign_in import signed_in
from apps.sandbox.sign_in.dead_ends import SentBack, ShownAsPage
from apps.sandbox.smart import scopes, sessions
from apps.sandbox.smart.authorizing import allowing, asking, pages
from apps.sandbox.smart.authorizing.asked import Asked

_CANCELLED = ("access_denied", "oauth2:grant:denied-by-user")
_SWITCHED = {
    "server_error": "oauth2:grant:server-error",
    "temporarily_unavailable": "oauth2:grant:temporarily-unavailable",
}


@csrf_exempt  # an application may post its request from another origin; the steps below are protected
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest, tenant: str, persona: str) -> HttpResponse:
    """Sign in, allow or cancel, and return. The pages post to the URL with the request's parameters in its query.

    A request sent as a form (SMART "authorize-post") is redirected to a query, and then treated like any other.
    """
    if request.method == "POST" and "step" not in request.POST:
        merged = request.GET.copy()
        for name, values in request.POST.lists():
            for value in values:
                merged.appendlist(name, str(value))
        response = HttpResponseRedirect(f"{request.path}?{merged.urlencode()}")
        response.status_code = 303
        return response
    try:
        asked = asking.judge(request.GET, tenant, persona, at=clock.now())
    except ShownAsPage as page:
        return provider.stop(request, page.reason)
    except SentBack as back:
        return provider.leave(back.address)
    return _step(request, asked) if request.method == "POST" else _arrive(request, asked)


@require_http_methods(["GET", "POST"])
def sign_out(request: HttpRequest, tenant: str, persona: str) -> HttpResponse:
    """End the session: nobody is signed in here any more, and online access ends with it (X48)."""
    del tenant, persona  # a browser has one session at this server
    if request.method == "POST":
        sessions.end(request, reason="signed out", at=clock.now())
    return pages.signed_out(request, is_done=request.method == "POST")


def _arrive(request: HttpRequest, asked: Asked) -> HttpResponse:
    """The first page: consent if somebody is signed in already, else sign-in."""
    if "login" in asked.prompts:
        signed_in.forget(request)
    account = _account(request, asked)
    if "none" in asked.prompts:  # OpenID Connect Core section 3.1.2.6: no page may be shown
        error = "consent_required" if account else "login_required"
        return provider.leave(asked.way_back.with_error(error, "oauth2:grant:consent-required"))
    return _consent(request, asked, account) if account else pages.sign_in(request, asked)


@csrf_protect
def _step(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Handle a button on a page."""
    step = request.POST["step"]
    if step == "cancel":
        signed_in.leave(request)
        return provider.leave(asked.way_back.with_error(*_CANCELLED))
    if step == "sign-in":
        return _sign_in(request, asked)
    if step == "someone-else":
        sessions.end(request, reason="somebody else signs in", at=clock.now())
    account = _account(request, asked)
    if account is None:
        signed_in.forget(request)
        return pages.sign_in(request, asked)
    return _allow(request, asked, account, at=clock.now()) if step == "allow" else _consent(request, asked, account)


def _account(request: HttpRequest, asked: Asked) -> Account | None:
    """Who is signed in, if they may answer this request."""
    account = signed_in.account(request)
    return account if account is not None and asked.is_open_to(account) else None


def _sign_in(request: HttpRequest, asked: Asked) -> HttpResponse:
    account = signed_in.check(request.POST.get("username", ""), request.POST.get("password", ""))
    if account is None or not asked.is_open_to(account):
        return pages.sign_in(request, asked, problem="no-record" if account else "unknown")
    signed_in.remember(request, account, keep="keep" in request.POST)
    return _consent(request, asked, account)


def _consent(request: HttpRequest, asked: Asked, account: Account) -> HttpResponse:
    """The consent page; for a launch, only for the person who started it."""
    if asked.launch is not None and asked.launch.account_id != account.pk:
        return provider.leave(asked.way_back.with_error("invalid_request", "smart-v1:grant:launch:mismatched-identity"))
    return pages.consent(request, asked, account)


def _allow(request: HttpRequest, asked: Asked, account: Account, *, at: datetime) -> HttpResponse:
    if asked.launch is not None and asked.launch.account_id != account.pk:
        return _consent(request, asked, account)
    choices = asked.choices_of(account)
    patient_id = choices[0] if len(choices) == 1 else request.POST.get("patient", "")
    if choices and patient_id not in choices:
        return pages.consent(request, asked, account, problem="no-choice")
    signed_in.leave(request)
    error = scenarios.chosen("authorize_error")
    if error != "none":
        return provider.leave(asked.way_back.with_error(error, _SWITCHED.get(error, "oauth2:grant:server-error")))
    kept = request.POST.getlist("scope")
    granted = [scope for scope in asked.scopes if scope in scopes.CONTEXT or scope in kept]
    if not scopes.opens_anything(granted):
        return provider.leave(asked.way_back.with_error(*_CANCELLED))
    try:
        code = allowing.allow(
            asked,
            account,
            scopes=granted,
            patient_id=patient_id if choices else "",
            session_key=sessions.key_for(request, account, at=at),
            at=at,
        )
    except allowing.LaunchUsed:
        return provider.leave(asked.way_back.with_error("invalid_request", "smart-v1:grant:launch:invalid-launch-code"))
    return provider.leave(asked.way_back.with_code(code))
