"""Which media type an answer has (specification P4, interface facts 1.7)."""

from django.http import HttpRequest

STANDARD = {"dstu2": "application/json+fhir", "r4": "application/fhir+json"}
JSON_TYPES = ("application/json", "application/fhir+json", "application/json+fhir")
_ANYTHING = ("*/*", "application/*")
_FORMATS = {"json": "application/json", **{name: name for name in JSON_TYPES}}


class NotAcceptable(Exception):
    """The request accepts no type the route can give: 406 with nothing in it."""


def chosen(request: HttpRequest, version: str, kind: str) -> str:
    """The Content-Type for a FHIR answer. `_format` overrides Accept; no Accept at all accepts everything.

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
    """The first JSON type or wildcard the Accept header names; None when it names none."""
    for name in accepted(request):
        if name in JSON_TYPES or name in _ANYTHING:
            return name
    return None


def accepted(request: HttpRequest) -> list[str]:
    """The media types of the Accept header in its order, in lower case, without parameters; q=0 is a refusal."""
    header = request.META.get("HTTP_ACCEPT") or "*/*"
    named = []
    for part in header.split(","):
        name, *parameters = [piece.strip().lower() for piece in part.split(";")]
        if name and not any(parameter in ("q=0", "q=0.0", "q=0.00", "q=0.000") for parameter in parameters):
            named.append(name)
    return named
