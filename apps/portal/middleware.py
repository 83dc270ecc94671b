"""What a page says where no view of ours can: a key is missing, or an address is that of a button."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.vault.errors import Shredded, VaultError

_LOG = logging.getLogger(__name__)
_STATUS = 503  # it passes: when the key is back all is as it was


class OursToMendMiddleware:
    """Where a view could not seal or open a value, whichever view it is. The log names what the operator must mend."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """As it comes."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page; None for what is no matter of keys, and for somebody whose account was closed a moment ago."""
        if not isinstance(exception, VaultError) or isinstance(exception, Shredded):
            return None
        _LOG.error("A page could not be shown: %s", exception)
        return render(request, "errors/503.html", status=_STATUS)


class AddressOfAButtonMiddleware:
    """Where somebody opens what only a button asks for: after signing in again, they come to the address that the
    button had. Nothing was done there, and an empty answer looks like a broken site."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The page in place of an answer that allows no reading and says nothing."""
        answer = self.get_response(request)
        is_nothing = (
            answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET" and not answer.content
        )
        if not is_nothing:
            return answer
        page = render(request, "errors/405.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = answer["Allow"]
        return page
