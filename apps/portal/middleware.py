"""What a page says when a key of ours is missing: it is ours to mend, and nothing is lost."""

import logging
from collections.abc import Callable

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
