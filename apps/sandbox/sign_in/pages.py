"""The practice's pages during authorization: sign-in, consent and errors. None may be framed or stored."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.sandbox.models import Account
from apps.sandbox.sign_in.shared_types import SHARED_TYPES


def sign_in(
    request: HttpRequest,
    application: str,
    redirect_uri: str,
    *,
    problem: str = "",
    organization: str = "",
    is_for_clinicians: bool = False,
) -> HttpResponse:
    """Asks for user name and password. `problem` is "unknown" or "no-record"; `organization` is whose page it is."""
    context = {
        "application": application,
        "problem": problem,
        "username": request.POST.get("username", ""),
        "organization": organization,
        "is_for_clinicians": is_for_clinicians,
    }
    return leading_to(render(request, "sandbox/sign_in.html", context), redirect_uri)


def consent(request: HttpRequest, application: str, redirect_uri: str, version: str, account: Account) -> HttpResponse:
    """Asks what the application may read."""
    context = {
        "application": application,
        "account": account,
        "others": len(account.patient_ids(version)) - 1,
        "version": version.upper(),
        "shared_types": sorted(SHARED_TYPES[version].items(), key=lambda item: str(item[1])),
    }
    return leading_to(render(request, "sandbox/consent.html", context), redirect_uri)


def stop(request: HttpRequest, reason: str) -> HttpResponse:
    """An error page, for a request whose redirect URI cannot be trusted."""
    return render(request, "sandbox/stop.html", {"reason": reason}, status=400)


def leave(address: str) -> HttpResponse:
    """Return to the application. A 302, as in RFC 6749; codes of 16 KiB make a long URL."""
    response = HttpResponse(status=302, headers={"Location": address})
    response["Referrer-Policy"] = "no-referrer"
    return response


def leading_to(response: HttpResponse, redirect_uri: str) -> HttpResponse:
    """A page whose form finally redirects to the application: browsers apply form-action to redirects of a form,
    too."""
    parts = urlsplit(redirect_uri)
    response.form_action = f"'self' {parts.scheme}://{parts.netloc}"  # type: ignore[attr-defined]  # read by PageHeadersMiddleware
    return response
