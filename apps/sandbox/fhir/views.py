"""The data routes of interface A (specification P4 to P6 and section 4.1): authentication and error responses."""

import json
import uuid
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from apps.sandbox import bearer, scenarios
from apps.sandbox.fhir import addresses, media_types, metadata, opened, refusing, serving
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.fhir.root import Root

_API_VERSION = "1.0.0"  # the observed interface sends its build; nobody has to send one back (specification 9.5)
_TITLES = {"dstu2": "Patient access, DSTU2", "r4": "Patient access, R4"}
View = Callable[..., HttpResponse]


def _answered(view: View) -> View:
    """Decorate a view to turn its exceptions into responses: 405, 406 (empty), 401 with a challenge, others as an
    outcome."""

    @wraps(view)
    def wrapper(request: HttpRequest, version: str, tree: str, **parts: str) -> HttpResponse:
        try:
            _check_tree(version, tree)
            serving.check_request(request)
            answer = view(request, version, **parts)
        except NotAcceptable:
            answer = refusing.not_acceptable()
        except bearer.Unauthorized as unauthorized:
            refusal = Refusal(401, "login", "A valid access token is needed", challenge=unauthorized.challenge)
            answer = refusing.answer(refusal, version, "outcome")
        except Refusal as refusal:
            answer = refusing.answer(refusal, version, "outcome")
        answer["Cache-Control"] = "no-store"
        answer["X-Request-Id"] = str(uuid.uuid4())
        answer["Api-Version"] = _API_VERSION
        return answer

    return wrapper


@_answered
def statement(request: HttpRequest, version: str) -> HttpResponse:
    """P6: the metadata; no token needed."""
    media_type = _media_type(request, version)
    security = metadata.security(version, "OAuth")
    told = metadata.statement(version, addresses.data_base(request, version), _TITLES[version], security)
    return HttpResponse(json.dumps(told), content_type=media_type)


@_answered
def search(request: HttpRequest, version: str, resource_type: str) -> HttpResponse:
    """P4 and every other search."""
    media_type = _media_type(request, version)
    access = opened.by(request, version)
    return serving.search(request, _root(request, version), access, resource_type, media_type)


@_answered
def read(request: HttpRequest, version: str, resource_type: str, logical_id: str) -> HttpResponse:
    """P5 and every other read by id."""
    media_type = _media_type(request, version)
    access = opened.by(request, version)
    return serving.read(_root(request, version), access, resource_type, logical_id, media_type)


@_answered
def document(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """The file of a document."""
    access = opened.by(request, version)
    return serving.document(_root(request, version), access, name)


@_answered
def binary(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """The same by Accept: raw, or as a Binary resource."""
    access = opened.by(request, version)
    return serving.binary(request, _root(request, version), access, name)


@_answered
def nothing(request: HttpRequest, version: str) -> HttpResponse:
    """Any other URL below the data base. Without a token the answer is 401, not 404 (facts 1.5)."""
    opened.by(request, version)
    raise Refusal(404, "not-found", f"There is nothing here in {version}")


def _check_tree(version: str, tree: str) -> None:
    if tree.lower() != version:
        raise Refusal(404, "not-found", f"This is the tree of {version}")


def _media_type(request: HttpRequest, version: str) -> str:
    return media_types.chosen(request, version, scenarios.chosen("data_content_type"))


def _root(request: HttpRequest, version: str) -> Root:
    return Root(
        realm=Realm(version),
        base=addresses.data_base(request, version),
        required_parameters=scenarios.chosen("required_parameters"),
        page_size=int(scenarios.chosen("page_size")),
        bare_patient_search=scenarios.chosen("patient_shape"),
    )
