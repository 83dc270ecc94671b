"""An address that a provider filled is named to nobody, whatever is answered there."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# By their beginning: an error may come before anybody knows which view it is. `urls.py` says why they never change.
_FILLED_BY_PROVIDERS = ("/connect/return/", "/connect/launch/")
_MARK = "is_named_to_nobody"


class NamedToNobodyMiddleware:
    """`Referrer-Policy: no-referrer` where the query holds a code or a launch. Outside of whatever may fail, so that
    error pages have it too: their style sheet and their links would be asked for with the whole address.

    Pages there hold no form, and templates ask the request for `is_named_to_nobody` to know: under this policy a
    browser says of a form that it comes from nowhere (`Origin: null`), and we refuse what does.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """As it comes, with the header."""
        if not request.path_info.startswith(_FILLED_BY_PROVIDERS):
            return self.get_response(request)
        setattr(request, _MARK, True)
        response = self.get_response(request)
        response["Referrer-Policy"] = "no-referrer"
        return response
