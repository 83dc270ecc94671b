"""Pages that only tell: help, and the settings people can reach from everywhere."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    """How Holdfast works in a few sentences, and whom to write to."""
    return render(request, "accounts/help.html", {"support_email": settings.SUPPORT_EMAIL})


@login_required
@require_safe
def show_settings(request: HttpRequest) -> HttpResponse:
    """Everything a person can change about their account."""
    return render(request, "accounts/settings.html", {})
