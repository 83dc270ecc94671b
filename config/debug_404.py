"""In debug, too, a wrong address shows the page that patients see, and not Django's list of every address there is.

For the demo, where people look around. What breaks by itself still shows developers where (`config/debug_pages.py`).
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import get_resolver


class SitePagesMiddleware:
    """The last middleware of all: what views raise, and that no view has the address, is seen here first."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 404 and request.resolver_match is None:
            return page(request, 404, Http404())
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """The page of an address that a view has, and of which it knows nothing or makes nothing."""
        if isinstance(exception, Http404):
            return page(request, 404, exception)
        if isinstance(exception, BadRequest | SuspiciousOperation):
            return page(request, 400, exception)
        return None


def page(request: HttpRequest, status: int, exception: Exception) -> HttpResponseBase:
    """As Django answers outside debug: `handler404` and `handler400` of the site's addresses, or the sandbox's."""
    handler: Callable[..., HttpResponseBase] = get_resolver().resolve_error_handler(status)
    return handler(request, exception=exception)
