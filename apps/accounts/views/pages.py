"""Pages of text: help, the settings, and that the password was given."""

from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts import consenting
from apps.accounts.current_user import current_user


@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    """How Holdfast works in a few sentences, and whom to write to."""
    return render(request, "accounts/help.html", {"support_email": settings.SUPPORT_EMAIL})


@login_required
@require_safe
def show_settings(request: HttpRequest) -> HttpResponse:
    """Everything a person can change about their account."""
    user = current_user(request)
    context = {
        "consent": consenting.latest_consent(user),
        "needs_consent": consenting.needs_consent(user),
        "has_second_step": get_adapter().is_mfa_enabled(user),
    }
    return render(request, "accounts/settings.html", context)


@login_required
@require_safe
def show_password_given(request: HttpRequest) -> HttpResponse:
    """Shown in the tab in which staff gave their password: the page that waits for it is in another tab."""
    return render(request, "accounts/password_given.html")
