"""Signing in as a developer, which is signing up the first time; and signing out."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.sandbox import clock
from apps.sandbox.developers import signed_in
from apps.sandbox.registration import RequestRefused

_USUAL = "portal"


@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for an e-mail address, then go on to where the developer wanted to go."""
    problem = ""
    wanted = request.POST.get("next", "") or request.GET.get("next", "")
    if request.method == "POST":
        try:
            developer, is_new = signed_in.sign_in(request, request.POST.get("email", ""), at=clock.now())
        except RequestRefused as refused:
            problem = str(refused)
        else:
            told = _("There is an account for %(email)s now.") if is_new else _("Welcome back, %(email)s.")
            messages.success(request, told % {"email": developer.email})
            return redirect(_where(wanted))
    context = {"problem": problem, "next": wanted, "email": request.POST.get("email", "")}
    return render(request, "sandbox/developer_sign_in.html", context)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign out in this browser."""
    signed_in.forget(request)
    return redirect("start")


def _where(wanted: str) -> str:
    """A page of ours that answers GET, or the portal. A refused POST has no page to return to."""
    if not wanted.startswith("/") or not url_has_allowed_host_and_scheme(wanted, allowed_hosts=None):
        return _USUAL
    try:
        match = resolve(wanted)
    except Resolver404:
        return _USUAL
    return wanted if match.url_name in _PAGES else _USUAL


_PAGES = {
    *("portal", "portal-request", "portal-application", "portal-addresses"),
    *("console", "console-register", "console-application", "console-change"),
    *("system-accounts", "system-account-request", "system-account", "system-account-keys"),
}
