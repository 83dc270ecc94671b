"""What holds for every page of somebody signed in: nothing stays in the browser, and a lapsed session is asked anew.

A shared computer must not show the last person's record to the next one.
"""

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django_htmx.http import HttpResponseClientRefresh

from apps.accounts import destinations, ended_sessions, time_zones
from apps.accounts.models import User

View = TypeVar("View", bound=Callable[..., HttpResponse])


def same_for_everybody(view: View) -> View:
    """Decorate a view whose answer has nobody in it: its session is not even read, and it says itself how long it is
    kept."""
    view.is_same_for_everybody = True  # type: ignore[attr-defined]  # a view is a function: it takes any
    return view


class NothingStaysMiddleware:
    """No page of somebody known is stored, and signing out clears what the browser kept.

    Somebody is known when signed in, or half way: a session with a code under way names an e-mail address. Cookies stay
    on sign-out, because the choice of language is one, but for the mark that somebody was signed in; the session itself
    is gone on our side.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set `Cache-Control: no-store`, and `Clear-Site-Data` where this request ended a session."""
        was_signed_in = request.method == "POST" and request.user.is_authenticated
        response = self.get_response(request)
        if _is_same_for_everybody(request):
            return response
        if response.status_code >= 500:  # whose page it is may be what could not be told: it is not asked again
            response["Cache-Control"] = "no-store, private"
            return response
        if request.user.is_authenticated or not request.session.is_empty():
            response["Cache-Control"] = "no-store, private"
        if was_signed_in and not request.user.is_authenticated:
            response["Cache-Control"] = "no-store, private"
            response["Clear-Site-Data"] = '"cache", "storage"'
            ended_sessions.forget(response)
        return response


class OnTheWayMiddleware:
    """Whoever has to begin anew with signing in gets to where they were going all the same. Outside of
    `EndedSessionMiddleware`, which tells those apart whom a page led here by what their address says."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """As it comes, from one page of signing in to another with the address that is wanted."""
        response = self.get_response(request)
        if "Location" in response:
            destinations.keep(request, response)
        return response


class EndedSessionMiddleware:
    """Tell somebody who is led to the sign-in page that their session ended. Outside of `SignInAsAPageMiddleware`: a
    part of a page leads nowhere, and the whole page that is asked for in its place does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """As it comes."""
        response = self.get_response(request)
        ended_sessions.tell(request, response)
        return response


class SignInAsAPageMiddleware:
    """Where a part of a page is asked for after the session has lapsed, have the whole page asked for.

    The browser follows the redirect to the sign-in page by itself, and would put that page into the part's place.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer "load the page again" instead; that leads to signing in, and back to where the person was."""
        response = self.get_response(request)
        is_part = request.headers.get("HX-Request") == "true"
        if is_part and response.get("Location", "").startswith(resolve_url(settings.LOGIN_URL)):
            return HttpResponseClientRefresh()
        return response


class TimeZoneMiddleware:
    """Tell times to somebody signed in as they are in the zone they chose; to everybody else in UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Leave nothing of one request to the next."""
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        """Only here is it known whether the page is the same for everybody, for which no session is read."""
        if not _is_same_for_everybody(request) and isinstance(request.user, User):
            timezone.activate(time_zones.of(request.user))


def _is_same_for_everybody(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and getattr(match.func, "is_same_for_everybody", False)
