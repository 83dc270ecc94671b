"""Read request parameters as RFC 6749 sections 3.1 and 3.2 require: each at most once, and an empty one counts as
absent.
"""

from django.http import HttpRequest, QueryDict

from apps.sandbox import scenarios

FORM = "application/x-www-form-urlencoded"


class Repeated(Exception):
    """A parameter was sent twice; `args[0]` is its name."""


def once(given: QueryDict) -> dict[str, str]:
    """Every parameter that has a value. Raises Repeated."""
    for name in given:
        if len(given.getlist(name)) > 1:
            raise Repeated(name)
    return {name: str(value) for name, value in given.items() if value}


def of_authorization(request: HttpRequest) -> dict[str, str]:
    """The parameters of an authorization request that were sent once; `repeated` has the names of the others."""
    return {name: str(values[0]) for name, values in request.GET.lists() if len(values) == 1 and values[0]}


def repeated(request: HttpRequest) -> frozenset[str]:
    """The names of query parameters that were sent more than once."""
    return frozenset(name for name, values in request.GET.lists() if len(values) > 1)


def of_token_request(request: HttpRequest) -> dict[str, str]:
    """The parameters of a token request, in the query (specification P2, P3). Raises Repeated.

    A body counts only if the switch says so; then a parameter in both places counts as repeated.
    """
    given = request.GET.copy()
    if scenarios.chosen("body_credentials") == "accepted":
        for name, values in _body(request).lists():
            for value in values:
                given.appendlist(name, value)
    return once(given)


def of_revocation(request: HttpRequest) -> dict[str, str]:
    """The parameters of a revocation, in the query, or in the body as in RFC 7009. Raises Repeated."""
    given = request.GET.copy()
    for name, values in _body(request).lists():
        for value in values:
            given.appendlist(name, value)
    return once(given)


def is_form(request: HttpRequest) -> bool:
    """Whether the Content-Type is the form type, whatever its parameters."""
    return str(request.META.get("CONTENT_TYPE", "")).split(";")[0].strip().lower() == FORM


def _body(request: HttpRequest) -> QueryDict:
    return QueryDict(request.body, encoding="utf-8")
