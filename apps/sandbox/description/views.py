"""The description, as `/a/description/{version}.json` for programs and `/a/description/` for people."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.sandbox.description import openapi


@require_GET
def machine(request: HttpRequest, version: str) -> JsonResponse:
    """The OpenAPI document of one version."""
    return JsonResponse(openapi.document(version, _origin(request)), json_dumps_params={"indent": 2})


@require_GET
def explore(request: HttpRequest) -> HttpResponse:
    """The same as a page; `?version=` chooses the version, R4 by default."""
    version = request.GET.get("version", "r4")
    version = version if version in openapi.TITLES else "r4"
    described = openapi.document(version, _origin(request))
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, operations in described["paths"].items():
        route = {"path": path, **operations["get"], "needs_token": operations["get"].get("security") != []}
        groups.setdefault(path.split("/")[1], []).append(route)
    context = {
        "version": version,
        "titles": openapi.TITLES,
        "base": described["servers"][0]["url"],
        "flow": described["components"]["securitySchemes"]["patient"]["flows"]["authorizationCode"],
        "groups": groups,
    }
    return render(request, "sandbox/description.html", context)


def _origin(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")
