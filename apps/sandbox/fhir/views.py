"""The data routes (specification P4 to P6 and section 4.1): each turns a request into one question and answers it."""

import json
import re
import uuid
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from apps.sandbox import bearer, scenarios
from apps.sandbox.bearer import Access
from apps.sandbox.fhir import addresses, bundles, files, media_types, metadata, refusing, searching, store
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.offered import OFFERED, Offered
from apps.sandbox.fhir.refusing import Refusal

_ID = re.compile(r"[A-Za-z0-9.\-]{1,64}", re.ASCII)
_API_VERSION = "1.0.0"  # the observed interface sends its build; nobody has to send one back (specification 9.5)
View = Callable[..., HttpResponse]


def _answered(view: View) -> View:
    """The view with its refusals answered: 405, 406 (empty), 401 with a challenge, and the rest as an outcome."""

    @wraps(view)
    def wrapper(request: HttpRequest, version: str, tree: str, **parts: str) -> HttpResponse:
        try:
            _check_door(request, version, tree)
            answer = view(request, version, **parts)
        except NotAcceptable:
            answer = HttpResponse(status=406)
            del answer["Content-Type"]
        except bearer.Unauthorized as unauthorized:
            answer = refusing.answer(Refusal(401, "login", "A valid access token is needed"), version)
            answer["WWW-Authenticate"] = unauthorized.challenge
        except Refusal as refusal:
            answer = refusing.answer(refusal, version)
            if refusal.status == 405:
                answer["Allow"] = "GET, HEAD"
        answer["Cache-Control"] = "no-store"
        answer["X-Request-Id"] = str(uuid.uuid4())
        answer["Api-Version"] = _API_VERSION
        return answer

    return wrapper


def _check_door(request: HttpRequest, version: str, tree: str) -> None:
    if tree.lower() != version:
        raise Refusal(404, "not-found", f"This is the tree of {version}")
    if request.method not in ("GET", "HEAD"):
        raise Refusal(405, "not-supported", "Only GET is served here")
    if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
        raise Refusal(400, "invalid", "There is a character in the address that nothing has")


@_answered
def statement(request: HttpRequest, version: str) -> HttpResponse:
    """P6: what is served here; no token needed."""
    media_type = media_types.chosen(request, version)
    body = json.dumps(metadata.statement(version, addresses.data_base(request, version)))
    return HttpResponse(body, content_type=media_type)


@_answered
def search(request: HttpRequest, version: str, resource_type: str) -> HttpResponse:
    """P4 and every other search. GET Patient without parameters may answer a bare Patient (switch patient_shape)."""
    media_type = media_types.chosen(request, version)
    access = bearer.access_from(request, version)
    offered = _offered(version, resource_type, access)
    if not offered.is_searched:
        raise Refusal(400, "not-supported", f"Search is not implemented for {resource_type}")
    base = addresses.data_base(request, version)
    if resource_type == "Patient" and _is_bare(request, access):
        return _resource(version, "Patient", access.patient_ids[0], access, base, media_type)
    asked = searching.read(version, offered, request.GET, access)
    body = bundles.searchset(asked, request.GET, request.META.get("QUERY_STRING", ""), base)
    return HttpResponse(body, content_type=media_type)


@_answered
def read(request: HttpRequest, version: str, resource_type: str, logical_id: str) -> HttpResponse:
    """P5 and every other read by id."""
    media_type = media_types.chosen(request, version)
    access = bearer.access_from(request, version)
    _offered(version, resource_type, access)
    if not _ID.fullmatch(logical_id):
        raise Refusal(400, "invalid", "This is not an id")
    return _resource(version, resource_type, logical_id, access, addresses.data_base(request, version), media_type)


@_answered
def document(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """The file of a document, whatever Accept says."""
    access = bearer.access_from(request, version)
    _offered(version, "DocumentReference", access)
    return files.document(version, name, access)


@_answered
def binary(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """The file of a document, raw or as a Binary resource."""
    access = bearer.access_from(request, version)
    _offered(version, "DocumentReference", access)
    _offered(version, "Binary", access)
    return files.binary(request, version, name, access)


@_answered
def nothing(_request: HttpRequest, version: str) -> HttpResponse:
    """Any other address under the data base."""
    raise Refusal(404, "not-found", f"There is nothing here in {version}")


def _offered(version: str, resource_type: str, access: Access) -> Offered:
    """The type as offered. A type that is not, and one the patient did not share, answer 403 alike."""
    offered = OFFERED[version].get(resource_type)
    if offered is None:
        raise Refusal(403, "forbidden", f"{resource_type} is not available")
    if resource_type in access.denied_types:
        raise Refusal(403, "forbidden", "Access was denied by the user")
    return offered


def _is_bare(request: HttpRequest, access: Access) -> bool:
    return len(access.patient_ids) == 1 and not request.GET and scenarios.chosen("patient_shape") == "patient"


def _resource(version: str, resource_type: str, logical_id: str, access: Access, base: str,
              media_type: str) -> HttpResponse:  # fmt: skip
    """One resource of the token's patients or of the practice. Somebody else's is as absent as one nobody has."""
    found = store.read(version, resource_type, logical_id)
    if found is None:
        raise Refusal(404, "not-found", "There is no such resource")
    patient_id, body = found
    if patient_id and patient_id not in access.patient_ids:
        status = int(scenarios.chosen("foreign_patient"))
        raise Refusal(status, "not-found" if status == 404 else "forbidden", "There is no such resource")
    answer = HttpResponse(addresses.with_attachments(body, base), content_type=media_type)
    answer["ETag"] = 'W/"1"'
    return answer
