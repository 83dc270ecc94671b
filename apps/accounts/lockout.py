"""Who is locked out after wrong passwords, and what they read. axes calls this by the names in settings."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts import destinations

UNKNOWN_ADDRESS = "::"  # failures from unknown addresses are counted together under this one, which nobody has

_OTHER_WAYS = "has_other_ways_in"
_LOG = logging.getLogger(__name__)


def account_named(_request: HttpRequest, unverified_credentials: dict[str, Any] | None = None) -> str:
    """The e-mail address that was typed, in the one spelling under which failures are counted, or ""."""
    return str((unverified_credentials or {}).get("email", "")).strip().lower()


def client_address(request: HttpRequest) -> str | None:
    """The client's address, behind the proxies we trust (ALLAUTH_TRUSTED_PROXY_COUNT) and no further.

    None if there is no address: over a Unix socket without a proxy that names it, or if what the proxy says is not an
    address. The operator has to fix that; it is no reason to send the person away.
    """
    try:
        return str(DefaultAccountAdapter(request).get_client_ip(request))
    except (PermissionDenied, ImproperlyConfigured):
        if "X-Forwarded-For" in request.headers:
            _LOG.error("X-Forwarded-For names no client address: check the proxy and TRUSTED_PROXIES.")
        return None


def counted_address(request: HttpRequest) -> str:
    """The address under which failures are counted."""
    return client_address(request) or UNKNOWN_ADDRESS


def show_other_ways_in(request: HttpRequest) -> None:
    """Let the page of the refusal name the other ways to sign in: waiting may not help (`password_guessing`)."""
    setattr(request, _OTHER_WAYS, True)


def refuse(
    request: HttpRequest, _response: HttpResponse | None = None, _credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """The page "Too many tries". It is the same whether or not the account exists."""
    context = {"login_url": destinations.on_the_way(request, "account_login")}
    if getattr(request, _OTHER_WAYS, False):
        context["reset_url"] = destinations.on_the_way(request, "account_reset_password")
        return render(request, "accounts/guessed_at.html", context, status=429)
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    return render(request, "errors/429.html", {**context, "minutes": minutes}, status=429)
