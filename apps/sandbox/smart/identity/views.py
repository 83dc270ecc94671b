"""The key set and the openid-configuration: public documents, readable by pages of any origin."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Tenant
from apps.sandbox.smart.identity import issuers, published

_PAGE = b"<!doctype html><title>Sign in</title><h1>Sign in</h1>"
_MAX_AGE = "max-age=3600"  # a client may keep the keys for an hour; on an unknown kid it asks again


def _document(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view: GET only, readable from every origin."""

    @wraps(view)
    def served(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        try:
            answer = view(request, **kwargs)
        except Http404:
            answer = HttpResponse(status=404)
        answer["Access-Control-Allow-Origin"] = "*"
        return answer

    return served


@_document
def jwk(_request: HttpRequest) -> HttpResponse:
    """The published public keys: RFC 7517 section 5."""
    match scenarios.chosen("jwks"):
        case "down":
            return HttpResponse(_PAGE, status=503)
        case "html":
            return HttpResponse(_PAGE)
        case mode:
            return JsonResponse(published.keys(mode, at=clock.now()), headers={"Cache-Control": _MAX_AGE})


@_document
def openid_configuration(_request: HttpRequest, tenant: str, idsp: str) -> HttpResponse:
    """OpenID Connect Discovery section 4, below the issuer of ID tokens. 404 for an unknown tenant or issuer."""
    mode = scenarios.chosen("openid_configuration")
    persona = next((name for name in ("patient", "provider") if issuers.idsp(tenant, name) == idsp), None)
    if mode == "absent" or persona is None or Tenant.known(tenant) is None:
        raise Http404
    if mode == "html":
        return HttpResponse(_PAGE)
    return JsonResponse(published.configuration(tenant, persona, mode))
