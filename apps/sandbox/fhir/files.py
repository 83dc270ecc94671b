"""The files of documents. `document/{name}` always returns the file itself; Binary follows the Accept header.

Interface facts 1.3 and 1.7: the document path answers application/pdf or application/xml even if a FHIR type was
requested. Binary returns the raw file if Accept names its type, a Binary resource if it names a FHIR type, and 406
otherwise. application/json is a FHIR type on interface A, where every call has it (specification 4.1, rule 3), but not
on interface B.
"""

import base64
import json
from collections.abc import Collection

from django.http import HttpRequest, HttpResponse

from apps.sandbox.fhir import media_types
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.models import StoredFile

_FHIR_TYPES = ("application/fhir+json", "application/json+fhir")


def document(realm: Realm, name: str, seen: Collection[str]) -> HttpResponse:
    """The file itself. Raises Refusal (404) if it belongs to none of the patients in `seen`."""
    file = _own(realm, name, seen)
    return HttpResponse(bytes(file.content), content_type=file.content_type)


def binary(request: HttpRequest, realm: Realm, name: str, seen: Collection[str]) -> HttpResponse:
    """The file, or a Binary resource with it, by Accept. Raises Refusal (404) and NotAcceptable."""
    file = _own(realm, name, seen)
    fhir_types = _FHIR_TYPES if realm.tenant else media_types.JSON_TYPES
    for accepted in media_types.accepted(request):
        if accepted in fhir_types:
            return HttpResponse(_resource(realm.version, file), content_type=media_types.STANDARD[realm.version])
        if accepted in (file.content_type, f"{file.content_type.partition('/')[0]}/*", "*/*"):
            return HttpResponse(bytes(file.content), content_type=file.content_type)
    raise NotAcceptable


def _own(realm: Realm, name: str, seen: Collection[str]) -> StoredFile:
    file = StoredFile.objects.filter(tenant=realm.tenant, version=realm.version, name=name, patient_id__in=seen).first()
    if file is None:
        raise Refusal(404, "not-found", "There is no such document")
    return file


def _resource(version: str, file: StoredFile) -> bytes:
    """Binary: `content` in DSTU2, `data` in R4."""
    content = base64.b64encode(bytes(file.content)).decode()
    body = {"resourceType": "Binary", "id": file.name, "contentType": file.content_type}
    return json.dumps({**body, "content" if version == "dstu2" else "data": content}).encode()
