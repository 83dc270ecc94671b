"""Middleware: requests from programs (data, tokens, metadata) go straight to their view; people get sessions and CSRF
checks.
"""

import functools
import re
from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch, resolve

_MACHINE_ROUTES = re.compile(
    r"^/a/[^/]+/(?:fhir/|auth/(?:token|revoke)/?$)"
    r"|^/b/(?:myrecord|ehr|open|storage)/"
    r"|^/b/authorization/(?:tokeninfo|jwk)/?$"
    r"|^/b/authorization/tenants/[^/]+/(?:oidc/|(?:hosts/[^/]+/)?protocols/oauth2/profiles/smart-v1/token(?:/revoke)?/?$)"
)

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; frame-ancestors 'none'"
)


class MachineRouteMiddleware:
    """Calls the view of a machine route itself: what follows in MIDDLEWARE never runs for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _MACHINE_ROUTES.match(request.path_info):
            return self.get_response(request)
        try:
            match = _route(request.path_info)
        except Http404:
            return HttpResponse(status=404)
        request.resolver_match = match
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer


@functools.lru_cache(maxsize=256)
def _route(path: str) -> ResolverMatch:
    """The view of a URL. Cached, because the pages of one search share it, and resolving takes a tenth of such a page's
    time."""
    return resolve(path)


class PageHeadersMiddleware:
    """Security headers of the sandbox's pages. A view may extend `form-action` by `response.form_action`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        targets = getattr(response, "form_action", "'self'")
        response["Content-Security-Policy"] = f"{_POLICY}; form-action {targets}"
        response.setdefault("Cache-Control", "no-store")
        return response
