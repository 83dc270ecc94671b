"""Rules for every page of signed-in users: nothing is stored in the browser, and an expired session leads to signing
in.

On a shared computer, the next person must not see the last person's record.
"""

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django_htmx.http import HttpResponseClientRefresh

from apps.accounts import destinations, ended_sessions, time_zones, unfinished
from apps.accounts.models import User

View = TypeVar("View", bound=Callable[..., HttpResponse])


def same_for_everybody(view: View) -> View:
    """Decorate a view whose response contains nothing personal: its session is not even read, and it sets its own
    caching."""
    view.is_same_for_everybody = True  # type: ignore[attr-defined]  # a view is a function: it takes any
    return view


class NoStoreMiddleware:
    """No page for a known person is stored, and signing out clears what the browser stored.

    A person is known when signed in, and also half-way there: a session that awaits a code names an e-mail address.
    Signing out keeps cookies, because the choice of language is one, except for the mark that somebody was signed in.
    The session itself is deleted on our side.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set `Cache-Control: no-store`, and `Clear-Site-Data` where this request ended a session."""
        was_signed_in = request.method == "POST" and request.user.is_authenticated
        response = self.get_response(request)
        if _is_same_for_everybody(request):
            return response
        if response.status_code >= 500:  # reading the session may be what failed: do not read it again
            response["Cache-Control"] = "no-store, private"
            return response
        if request.user.is_authenticated or not request.session.is_empty():
            response["Cache-Control"] = "no-store, private"
        if was_signed_in and not request.user.is_authenticated:
            response["Cache-Control"] = "no-store, private"
            response["Clear-Site-Data"] = '"cache", "storage"'
            ended_sessions.forget(response)
        return response


class KeepNextMiddleware:
    """Somebody who has to start signing in again still gets to the page that they wanted.

    Listed before `EndedSessionMiddleware`, which needs the redirect's original address.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response; a redirect between sign-in pages gets the wanted address."""
        response = self.get_response(request)
        if "Location" in response:
            destinations.keep(request, response)
        return response


class EndedSessionMiddleware:
    """Tell somebody who is redirected to the sign-in page that their session ended.

    Listed before `HtmxSignInMiddleware`: a part of a page is redirected nowhere, but the whole page that is loaded
    in its place is.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, with the message if one is due."""
        response = self.get_response(request)
        ended_sessions.tell(request, response)
        return response


class HtmxSignInMiddleware:
    """If a part of a page is requested after the session has expired, make the browser load the whole page again.

    A browser follows the redirect to the sign-in page by itself, and would insert that page in place of the part.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer "load the page again" instead; that leads to signing in, and then back to where the person was."""
        response = self.get_response(request)
        is_part = request.headers.get("HX-Request") == "true"
        if is_part and response.get("Location", "").startswith(resolve_url(settings.LOGIN_URL)):
            return HttpResponseClientRefresh()
        return response


class UnfinishedMiddleware:
    """A sign-in that was begun before the account changed is not finished."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, unchanged."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        """Before any view of the library reads how far they came."""
        if not _is_same_for_everybody(request):
            unfinished.drop_outdated(request)


class TimeZoneMiddleware:
    """Show times in the zone that a signed-in person chose; in UTC to everybody else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Reset the zone, so that nothing of one request affects the next."""
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        """Only here is it known whether the page is the same for everybody; for such a page no session is read."""
        if not _is_same_for_everybody(request) and isinstance(request.user, User):
            timezone.activate(time_zones.of(request.user))


def _is_same_for_everybody(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and getattr(match.func, "is_same_for_everybody", False)
