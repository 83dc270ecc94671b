"""Responses if no sign-in begins: the notice must be agreed to first, something prevents it, or too many are open."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from apps.connections.authorization_requests.creating import CannotLink, ConsentMissing, TooManyOpen
from apps.connections.presenting import wording
from apps.directory import linkability, obstacle_wording
from apps.directory.linkability import Obstacle
from apps.directory.models import Provider

NOT_BEGUN = (ConsentMissing, CannotLink, TooManyOpen)


def not_begun(
    request: HttpRequest, provider: Provider, refusal: ConsentMissing | CannotLink | TooManyOpen
) -> HttpResponse:
    """The response to a POST that `creating.create` refused: each cause may have arisen while the page was open."""
    if isinstance(refusal, CannotLink):
        return cannot_link(request, provider, refusal.obstacle)
    if isinstance(refusal, ConsentMissing):
        return ask_for_consent(request)
    context = {"provider": provider, "words": wording.TOO_MANY_OPEN}
    return render(request, "connections/too_many_open.html", context, status=409)


def ask_for_consent(request: HttpRequest) -> HttpResponse:
    """Redirect to the notice, and back here afterwards."""
    return redirect(f"{reverse('agree')}?next={request.path}")


def cannot_link(request: HttpRequest, provider: Provider, obstacle: Obstacle) -> HttpResponse:
    """What prevents linking, whose turn it is, and what can be done meanwhile."""
    context = {
        "provider": provider,
        "explanation": obstacle_wording.words(obstacle, provider),
        "can_come": obstacle not in linkability.FOR_GOOD,
    }
    return render(request, "connections/cannot_link.html", context, status=409)
