"""Which media type a response has (specification P4, interface facts 1.7)."""

from django.http import HttpRequest

STANDARD = {"dstu2": "application/json+fhir", "r4": "application/fhir+json"}
JSON_TYPES = ("application/json", "application/fhir+json", "application/json+fhir")
_ANYTHING = ("*/*", "application/*")
_FORMATS = {"json": "application/json", **{name: name for name in JSON_TYPES}}


class NotAcceptable(Exception):
    """The request accepts no type that the route can produce: 406 with an empty body."""


def chosen(request: HttpRequest, version: str, kind: str) -> str:
    """The Content-Type of a FHIR response. `_format` overrides Accept; without Accept, anything is accepted.

    `kind` is "fhir" (the version's own), "charset" (that, with a charset), "plain" (application/json) or "asked".
    Raises NotAcceptable.
    """
    wanted = request.GET.get("_format")
    asked = asked_json(request) if wanted is None else _FORMATS.get(wanted.replace(" ", "+"))
    if asked is None:
        raise NotAcceptable
    if kind == "asked":
        return STANDARD[version] if asked in _ANYTHING else asked
    if kind == "plain":
        return "application/json"
    return STANDARD[version] + ("; charset=utf-8" if kind == "charset" else "")


def asked_json(request: HttpRequest) -> str | None:
    """The first JSON type or wildcard in the Accept header, or None."""
    for name in accepted(request):
        if name in JSON_TYPES or name in _ANYTHING:
            return name
    return None


def accepted(request: HttpRequest) -> list[str]:
    """The media types of the Accept header in order, in lower case, without parameters; those with q=0 are left out."""
    header = request.META.get("HTTP_ACCEPT") or "*/*"
    named = []
    for part in header.split(","):
        name, *parameters = [piece.strip().lower() for piece in part.split(";")]
        if name and not any(parameter in ("q=0", "q=0.0", "q=0.00", "q=0.000") for parameter in parameters):
            named.append(name)
    return named
