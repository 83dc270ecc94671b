"""Views that pages of any origin may call (CORS), without cookies.

The Health Links Specification does not mention CORS, but programs that read such links are often web pages, and a
browser sends a preflight request before it posts JSON. Any request header is allowed, because unknown ones must be
ignored, and `Retry-After` may be read. There is no CSRF token: it protects what a signed-in person may do, and a view
decorated like this must not look at who is signed in.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt

_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, _P], HttpResponseBase]

_ASKED_AGAIN_AFTER: Final = "7200"  # seconds; browsers cache a preflight response no longer


def from_any_origin(*methods: str) -> Callable[[_View[_P]], _View[_P]]:
    """Decorate a view that answers only these methods. Its responses are not stored, unless they say otherwise. Http404
    is answered here: a page of another origin that cannot read the status would not learn that the link has ended."""
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
    """With a text: the site replaces an empty response by a page, which pages of other origins could not read."""
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
