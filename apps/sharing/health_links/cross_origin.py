"""Views that a program in anybody's browser may call: pages of any origin, without a cookie.

The Health Links Specification does not speak of it (CORS), but what reads such links is often a web page, and its
browser asks first: JSON is not among what may be posted unasked. Any header may be sent along, because unknown ones
have to be ignored, and `Retry-After` may be read. No token guards against forgery: it would have to guard what somebody
may do who is signed in, and a view so decorated must not ask who that is.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt

_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, _P], HttpResponseBase]

_ASKED_AGAIN_AFTER: Final = "7200"  # seconds; browsers keep such an answer no longer


def from_any_origin(*methods: str) -> Callable[[_View[_P]], _View[_P]]:
    """Decorate a view that answers these methods, and no other. What it answers is stored nowhere, unless it says
    otherwise. Http404 is answered here: a page that cannot read the status does not know that the link has ended."""
    allowed = (*methods, "OPTIONS")

    def decorated(view: _View[_P]) -> _View[_P]:
        @csrf_exempt
        @wraps(view)
        def answered(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponseBase:
            if request.method == "OPTIONS":
                return _readable(_preflight(allowed))
            if request.method not in methods:
                return _readable(_not_allowed(allowed))
            try:
                return _readable(view(request, *args, **kwargs))
            except Http404:
                return _readable(HttpResponse(status=404))

        return answered

    return decorated


def _not_allowed(allowed: tuple[str, ...]) -> HttpResponse:
    """In words: in place of an empty answer the site puts a page, which pages of other origins could not read."""
    return HttpResponseNotAllowed(allowed, f"Only {', '.join(allowed)}", content_type="text/plain")


def _preflight(allowed: tuple[str, ...]) -> HttpResponse:
    return HttpResponse(
        status=204,
        headers={
            "Allow": ", ".join(allowed),
            "Access-Control-Allow-Methods": ", ".join(allowed),
            "Access-Control-Allow-Headers": "Content-Type, *",  # by name as well: the star is younger
            "Access-Control-Max-Age": _ASKED_AGAIN_AFTER,
        },
    )


def _readable(response: HttpResponseBase) -> HttpResponseBase:
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "Retry-After"
    response.setdefault("Cache-Control", "no-store")
    return response
