"""Forms and addresses are in UTF-8. A request that says otherwise of a form is answered that nobody can read it.

Django holds that of the usual forms. One in parts it reads in whatever Python knows by the name that came: `idna` and
others raise at what they cannot read, `rot13` and the like make no text of anything, and either would be a failure of
ours. No browser says of a form what it is written in.
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
    """One that may say in its Content-Type what it is written in, so that Python cannot read its query, or not even
    what it says."""

    is_readable = True

    def _set_content_type_params(self, meta: dict[str, str]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]
        except (LookupError, ValueError, SuspiciousOperation):  # as it reads the query at once; none of these is ours
            self.content_type, self.content_params = "", {}
            self._encoding = None
            self.is_readable = False


class Utf8Alone:
    """Middleware, before the first that reads a form or a query."""

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
