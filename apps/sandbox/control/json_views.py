"""Views of the control addresses: for this machine only, JSON in and out, one handler for each method.

A POST must say `Content-Type: application/json`. A page of another origin cannot send that type without a preflight
request (CORS), which nothing here answers, so no web page in a developer's browser can control the sandbox.
"""

import ipaddress
import json
from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, QueryDict
from django.views.decorators.csrf import csrf_exempt

_KINDS = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}

Body = dict[str, Any]
Answer = tuple[object, int]
Value = TypeVar("Value")


class Wrong(Exception):
    """The request's body is invalid; the text says why."""


def is_local(request: HttpRequest) -> bool:
    """Whether the request comes from this machine."""
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def json_view(
    *,
    get: Callable[[QueryDict], Answer] | None = None,
    post: Callable[[Body], Answer] | None = None,
    delete: Callable[[QueryDict], Answer] | None = None,
) -> Callable[[HttpRequest], HttpResponse]:
    """A view with one handler for each method. A handler returns (data, status) or raises Wrong; a POST handler gets
    the body."""
    by_query = {"GET": get, "DELETE": delete}
    allowed = [name for name, handler in (*by_query.items(), ("POST", post)) if handler]

    @csrf_exempt
    def view(request: HttpRequest) -> HttpResponse:
        if not is_local(request):
            return JsonResponse({"error": "The control address answers this machine only."}, status=403)
        if request.method not in allowed:
            return HttpResponseNotAllowed(allowed)
        if request.method == "POST" and request.content_type != "application/json":
            return JsonResponse({"error": "Content-Type must be application/json."}, status=415)
        try:
            handler = by_query.get(request.method or "")
            data, status = handler(request.GET) if handler else post(_body(request))  # type: ignore[misc]  # allowed
        except Wrong as wrong:
            return JsonResponse({"error": str(wrong)}, status=400)
        return JsonResponse(data, status=status, safe=False, headers={"Cache-Control": "no-store"})

    return view


def take(body: Body, name: str, kind: type[Value], default: Value) -> Value:
    """A field of the body, or `default` if it is absent. Raises Wrong if it has another type."""
    value = body.get(name, default)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Wrong(f"{name} must be {_KINDS.get(kind, kind.__name__)}")
    if not _can_be_kept(value):
        raise Wrong(f"{name} holds what is not text")
    return value


def only(body: Body, *names: str) -> None:
    """Raises Wrong if the body has a field that is not listed here."""
    if unknown := sorted(body.keys() - set(names)):
        raise Wrong(f"unknown: {', '.join(unknown)}; known: {', '.join(names)}")


def texts(body: Body, name: str) -> list[str]:
    """A field that is a list of strings. Raises Wrong."""
    values = take(body, name, list, [])
    return [take({name: value}, name, str, "") for value in values]


def _can_be_kept(value: object) -> bool:
    """False for text with NUL or lone surrogates, which JSON can represent and Postgres cannot store."""
    return not isinstance(value, str) or ("\0" not in value and value == value.encode(errors="replace").decode())


def _body(request: HttpRequest) -> Body:
    if not request.body:
        return {}
    try:
        body = json.loads(request.body)
    except ValueError:
        raise Wrong("the body is not JSON") from None
    if not isinstance(body, dict):
        raise Wrong("the body must be an object")
    return body
