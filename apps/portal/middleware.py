"""Pages for two cases that no view of ours handles: a key is missing, or a URL that only takes POST was opened."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.vault.errors import Shredded, VaultError

_LOG = logging.getLogger(__name__)
_STATUS = 503  # temporary: once the key is back, everything is as before


class VaultErrorMiddleware:
    """Shows a page if any view could not seal or open a value. The log says what the operator must fix."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, unchanged."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page; None for other exceptions, and if the account was closed a moment ago."""
        if not isinstance(exception, VaultError) or isinstance(exception, Shredded):
            return None
        _LOG.error("A page could not be shown: %s", exception)
        return render(request, "errors/503.html", status=_STATUS)


class PostOnlyMiddleware:
    """Shows a page if somebody opens the URL of a button, which only takes POST: signing in again, for example, leads
    back to it. Nothing was done, and an empty response looks like a broken site."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response; an empty 405 to a GET is replaced by the page."""
        answer = self.get_response(request)
        is_nothing = (
            answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET" and not answer.content
        )
        if not is_nothing:
            return answer
        page = render(request, "errors/405.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = answer["Allow"]
        return page
