"""Leave nothing in the browser: a shared computer must not show the last person's record to the next one."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class NothingStaysMiddleware:
    """No page of somebody known is stored, and signing out clears what the browser kept.

    Somebody is known when signed in, or half way: a session with a code under way names an e-mail address. Cookies stay
    on sign-out, because the choice of language is one; the session itself is gone on our side.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set `Cache-Control: no-store`, and `Clear-Site-Data` where this request ended a session."""
        was_signed_in = request.method == "POST" and request.user.is_authenticated
        response = self.get_response(request)
        if request.user.is_authenticated or not request.session.is_empty():
            response["Cache-Control"] = "no-store, private"
        if was_signed_in and not request.user.is_authenticated:
            response["Cache-Control"] = "no-store, private"
            response["Clear-Site-Data"] = '"cache", "storage"'
        return response
