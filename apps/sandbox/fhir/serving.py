"""The data routes of both interfaces: answer a request below a root, with a given access.

Raises `Refusal`; the edges (`fhir.views`, `smart.data.views`) turn it into a response of their interface.
"""

import re

from django.http import HttpRequest, HttpResponse

from apps.sandbox import scenarios
from apps.sandbox.fhir import addresses, bundles, files, searching, store
from apps.sandbox.fhir.access import Access
from apps.sandbox.fhir.offered import OFFERED, Offered
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.fhir.root import Root

_ID = re.compile(r"[A-Za-z0-9.\-]{1,64}", re.ASCII)


def check_request(request: HttpRequest) -> None:
    """Raises Refusal for a method that changes data, and for an impossible URL."""
    if request.method not in ("GET", "HEAD"):
        raise Refusal(405, "not-supported", "Only GET is served here")
    if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
        raise Refusal(400, "invalid", "There is a character in the address that nothing has")


def search(request: HttpRequest, root: Root, access: Access, resource_type: str, media_type: str) -> HttpResponse:
    """P4 and every other search. The answer to GET Patient without parameters depends on the root."""
    offered = _offered(root.version, resource_type, access, "search")
    if not offered.is_searched:
        raise Refusal(400, "not-supported", f"Search is not implemented for {resource_type}")
    if resource_type == "Patient" and not request.GET:
        if root.bare_patient_search == "refused":
            raise Refusal(400, "required", _named(offered), as_text=True)
        if root.bare_patient_search == "patient" and len(patient_ids := access.patients("Patient", "search")) == 1:
            return _resource(root, "Patient", patient_ids[0], access, media_type)
    asked = searching.read(root, offered, request.GET, access)
    body = bundles.searchset(root, asked, request.GET, request.META.get("QUERY_STRING", ""))
    return HttpResponse(body, content_type=media_type)


def read(root: Root, access: Access, resource_type: str, logical_id: str, media_type: str) -> HttpResponse:
    """P5 and every other read by id."""
    _offered(root.version, resource_type, access, "read")
    if not _ID.fullmatch(logical_id):
        raise Refusal(400, "invalid", "This is not an id")
    return _resource(root, resource_type, logical_id, access, media_type)


def document(root: Root, access: Access, name: str) -> HttpResponse:
    """The file of a document, whatever Accept says."""
    _offered(root.version, "DocumentReference", access, "read")
    return files.document(root.realm, name, access.patients("DocumentReference", "read"))


def binary(request: HttpRequest, root: Root, access: Access, name: str) -> HttpResponse:
    """The file of a document, raw or as a Binary resource."""
    _offered(root.version, "DocumentReference", access, "read")
    _offered(root.version, "Binary", access, "read")
    seen = {*access.patients("DocumentReference", "read")} & {*access.patients("Binary", "read")}
    return files.binary(request, root.realm, name, seen)


def _offered(version: str, resource_type: str, access: Access, interaction: str) -> Offered:
    """The offered type. Raises Refusal: a type that is not offered gets 403, like one that may not be seen."""
    offered = OFFERED[version].get(resource_type)
    if offered is None:
        raise Refusal(403, "forbidden", f"{resource_type} is not available")
    if refusal := access.refusal(resource_type, interaction):
        raise refusal
    return offered


def _named(offered: Offered) -> str:
    names = ", ".join(parameter.name for parameter in offered.parameters)
    return f"{offered.resource_type} is searched by one of {names}"


def _resource(root: Root, resource_type: str, logical_id: str, access: Access, media_type: str) -> HttpResponse:
    """One resource of a patient whom the access covers, or of the practice. Another patient's resource is answered as
    if it did not exist."""
    found = store.read(root.realm, resource_type, logical_id)
    if found is None:
        raise Refusal(404, "not-found", "There is no such resource")
    patient_id, body = found
    if patient_id and patient_id not in access.patients(resource_type, "read"):
        status = int(scenarios.chosen("foreign_patient"))
        raise Refusal(status, "not-found" if status == 404 else "forbidden", "There is no such resource")
    answer = HttpResponse(addresses.with_attachments(body, root.base), content_type=media_type)
    answer["ETag"] = 'W/"1"'
    return answer
