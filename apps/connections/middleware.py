"""An address that a provider filled is named to nobody, whatever is answered there."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# By their beginning: an error may come before anybody knows which view it is. `urls.py` says why they never change.
_FILLED_BY_PROVIDERS = ("/connect/return/", "/connect/launch/")


class NamedToNobodyMiddleware:
    """`Referrer-Policy: no-referrer` where the query holds a code or a launch. Outside of whatever may fail, so that
    error pages have it too: their style sheet and their links would be asked for with the whole address."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """As it comes, with the header."""
        response = self.get_response(request)
        if request.path_info.startswith(_FILLED_BY_PROVIDERS):
            response["Referrer-Policy"] = "no-referrer"
        return response
