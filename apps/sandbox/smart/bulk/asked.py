"""Validate a kick-off request (Bulk Data Access, "Kick-off Request"; interface facts 4.3)."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from apps.sandbox.fhir import media_types
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.smart.bulk import files
from apps.sandbox.smart.data.permissions import SystemPermissions

_FORMATS = {"application/fhir+ndjson", "application/ndjson", "ndjson"}
_KNOWN = {"_type", "_since", "_outputFormat"}


@dataclass(frozen=True)
class Asked:
    """The types to export, and since when; None for all times."""

    types: tuple[str, ...]
    since: datetime | None


def read(request: HttpRequest, access: SystemPermissions, group_id: str) -> Asked:
    """The request. Raises NotAcceptable, and Refusal: 400, 403, or 404 for an unknown group."""
    preferred = {part.strip() for part in request.META.get("HTTP_PREFER", "").replace(";", ",").split(",")}
    if "application/fhir+json" not in media_types.accepted(request):
        raise NotAcceptable
    if "respond-async" not in preferred:
        raise Refusal(400, "invalid", "An export is only made asynchronously: Prefer: respond-async")
    if group_id not in files.GROUPS:
        raise Refusal(404, "not-found", "There is no such group")
    unknown = set(request.GET) - _KNOWN
    if unknown and "handling=lenient" not in preferred:
        raise Refusal(400, "not-supported", "There is a parameter that is not supported")
    if request.GET.get("_outputFormat", "ndjson").replace(" ", "+") not in _FORMATS:
        raise Refusal(400, "not-supported", "There is no such format")
    return Asked(_types(request.GET.get("_type", ""), access), _since(request.GET.get("_since", "")))


def _types(given: str, access: SystemPermissions) -> tuple[str, ...]:
    """The requested types, each of which the token must permit; or all that it permits."""
    exported = files.exported(access.place)
    if not given:
        every = tuple(name for name in exported if access.refusal(name, "read") is None)
        if not every:
            raise Refusal(403, "forbidden", "The token opens nothing that is exported")
        return every
    named = tuple(dict.fromkeys(given.split(",")))
    for name in named:
        if name not in OFFERED[access.place.version] or name not in exported:
            raise Refusal(400, "invalid", "There is a type that is not exported")
        if (refusal := access.refusal(name, "read")) is not None:
            raise refusal
    return named


def _since(given: str) -> datetime | None:
    if not given:
        return None
    try:
        since = parse_datetime(given.replace(" ", "+"))
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise Refusal(400, "invalid", "_since is an instant")
    return since
