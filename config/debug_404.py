"""In debug, too, a wrong URL shows the page that patients see, not Django's list of all URLs.

This is for the demo, where people look around. Unhandled exceptions still show developers where they happened
(`config/debug_pages.py`).
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import get_resolver


class SitePagesMiddleware:
    """Last in MIDDLEWARE, so that it is the first to see what views raise, and that no view has the URL."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 404 and request.resolver_match is None:
            return page(request, 404, Http404())
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """The error page for a URL whose view found nothing, or could not read the request."""
        if isinstance(exception, Http404):
            return page(request, 404, exception)
        if isinstance(exception, BadRequest | SuspiciousOperation):
            return page(request, 400, exception)
        return None


def page(request: HttpRequest, status: int, exception: Exception) -> HttpResponseBase:
    """The response that Django gives outside debug: `handler404` or `handler400` of the site's URLs, or of the
    sandbox's."""
    handler: Callable[..., HttpResponseBase] = get_resolver().resolve_error_handler(status)
    return handler(request, exception=exception)
