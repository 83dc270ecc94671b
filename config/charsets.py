"""Forms and query strings are UTF-8. A form that declares another charset gets a 400.

Django itself refuses that for URL-encoded forms. For multipart forms it uses whatever codec Python has under the
declared name: `idna` and others raise for input that they cannot read, `rot13` and the like do not decode bytes at all,
and either would be a 500. No browser declares the charset of a form.
"""

import codecs
from collections.abc import Callable
from typing import Final

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config import debug_404

_FORMS: Final = frozenset({"multipart/form-data", "application/x-www-form-urlencoded"})


class Request(WSGIRequest):
    """A request whose Content-Type may name a charset in which Python cannot decode its query, or not even the name
    itself."""

    is_readable = True

    def _set_content_type_params(self, meta: dict[str, str]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]
        except (LookupError, ValueError, SuspiciousOperation):  # it decodes the query at once
            self.content_type, self.content_params = "", {}
            self._encoding = None
            self.is_readable = False


class Utf8Middleware:
    """Middleware; it comes before any that reads a form or a query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_in_utf_8 = request.encoding is None or _is_utf_8(request.encoding)
        if not getattr(request, "is_readable", True) or (request.content_type in _FORMS and not is_in_utf_8):
            return debug_404.page(request, 400, BadRequest())
        if not is_in_utf_8:
            request.encoding = "utf-8"  # the body is read as bytes, and the query in UTF-8, as ever
        return self.get_response(request)


def _is_utf_8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"  # Django has looked it up before
