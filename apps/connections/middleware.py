"""Keep addresses that a provider filled in out of the Referer header, whatever is answered there."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Matched by prefix, because an error may occur before the view is resolved. `urls.py` says why these never change.
_FILLED_BY_PROVIDERS = ("/connect/return/", "/connect/launch/")
_MARK = "has_no_referrer"


class NoReferrerMiddleware:
    """Set `Referrer-Policy: no-referrer` where the query holds a code or a launch. It stands outside of whatever may
    fail, so that error pages get the header too: otherwise the browser would send the whole address along with requests
    for their style sheets and links.

    With this policy a browser sends `Origin: null` with a form, which we refuse. So pages at these addresses contain no
    form, and templates ask the request for `has_no_referrer`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the header to the response."""
        if not request.path_info.startswith(_FILLED_BY_PROVIDERS):
            return self.get_response(request)
        setattr(request, _MARK, True)
        response = self.get_response(request)
        response["Referrer-Policy"] = "no-referrer"
        return response
