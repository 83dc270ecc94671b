"""Everything below a FHIR root of interface B. A root is `/b/{host}/{version}/{tenant}/`; there is none without tenant.

Pages of any origin may send requests (X45), except to the authorization pages, which are elsewhere.
"""

import json
import uuid
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from apps.sandbox import scenarios
from apps.sandbox.fhir import media_types, metadata, refusing, serving
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.fhir.root import Root
from apps.sandbox.smart import addresses, rogue
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.data import admitting, bearer_tokens, configuration, oauth_uris

_TITLES = {"myrecord": "Records for patients", "ehr": "Records for clinicians", "open": "Open records, read only"}
_EXPOSED = "WWW-Authenticate, ETag, Content-Location, Location, X-Request-Id"
_NO_GATEWAY = "<!doctype html><title>502</title><h1>Bad gateway</h1><p>No tenant is named.</p>"
_NOT_A_DOCUMENT = "<!doctype html><title>Portal</title><h1>Welcome</h1>"
_WITHOUT_CONFIGURATION = {"absent": 404, "unauthorized": 401, "forbidden": 403}
View = Callable[..., HttpResponse]


def _answered(view: View) -> View:
    """Decorate a view below a root of a tenant that is not suspended: turns its exceptions into responses, and makes
    all responses readable by pages of any origin."""

    @wraps(view)
    def wrapper(request: HttpRequest, host: str, version: str, tenant: str, **parts: str) -> HttpResponse:
        try:
            answer = (
                _preflight() if request.method == "OPTIONS" else _asked(view, request, host, version, tenant, parts)
            )
        except NotAcceptable:
            answer = refusing.not_acceptable()
        except Refusal as refusal:
            answer = refusing.answer(refusal, version, "smart_refusals")
        answer["Cache-Control"] = "no-store"
        answer["X-Request-Id"] = str(uuid.uuid4())
        answer["Access-Control-Allow-Origin"] = "*"
        answer["Access-Control-Expose-Headers"] = _EXPOSED
        return answer

    return wrapper


def _asked(view: View, request: HttpRequest, host: str, version: str, tenant: str,
           parts: dict[str, str]) -> HttpResponse:  # fmt: skip
    if not admitting.is_open(tenant):
        raise bearer_tokens.inaccessible()
    if parts.pop("below", "") != addresses.below_tenant():
        raise Refusal(404, "not-found", "There is nothing here")
    serving.check_request(request)
    return view(request, Place(host, version, tenant), **parts)


def _preflight() -> HttpResponse:
    answer = HttpResponse(status=200)
    answer["Allow"] = answer["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
    answer["Access-Control-Allow-Headers"] = "Accept, Authorization, Content-Type"
    answer["Access-Control-Max-Age"] = "600"
    return answer


@_answered
def statement(request: HttpRequest, place: Place) -> HttpResponse:
    """S1: the metadata; no token needed."""
    media_type = _media_type(request, place)
    security, is_guarded = oauth_uris.security(place), place.host != "open"
    told = metadata.statement(place.version, place.root, _TITLES[place.host], security, tells_of_systems=is_guarded)
    return HttpResponse(rogue.told(json.dumps(told)), content_type=media_type)


@_answered
def smart_configuration(_request: HttpRequest, place: Place) -> HttpResponse:
    """The SMART configuration: JSON whatever Accept says."""
    form = scenarios.chosen("well_known")
    if form == "html":
        return HttpResponse(_NOT_A_DOCUMENT)
    if place.host == "open" or form != "present":
        status = _WITHOUT_CONFIGURATION.get(form, 404)
        raise Refusal(status, "not-found", "There is nothing here")
    return HttpResponse(rogue.told(json.dumps(configuration.document(place))), content_type="application/json")


@_answered
def search(request: HttpRequest, place: Place, resource_type: str) -> HttpResponse:
    """Every search."""
    media_type = _media_type(request, place)
    access = bearer_tokens.access_from(request, place)
    return serving.search(request, _root(place), access, resource_type, media_type)


@_answered
def read(request: HttpRequest, place: Place, resource_type: str, logical_id: str) -> HttpResponse:
    """Every read by id."""
    media_type = _media_type(request, place)
    access = bearer_tokens.access_from(request, place)
    return serving.read(_root(place), access, resource_type, logical_id, media_type)


@_answered
def document(request: HttpRequest, place: Place, name: str) -> HttpResponse:
    """The file of a document."""
    return serving.document(_root(place), bearer_tokens.access_from(request, place), name)


@_answered
def binary(request: HttpRequest, place: Place, name: str) -> HttpResponse:
    """The same by Accept: raw, or as a Binary resource."""
    return serving.binary(request, _root(place), bearer_tokens.access_from(request, place), name)


@_answered
def nothing(request: HttpRequest, place: Place, **_parts: str) -> HttpResponse:
    """Any other URL below a root. Without a token the answer is 401, not 404."""
    bearer_tokens.access_from(request, place)
    raise Refusal(404, "not-found", "There is nothing here")


def gateway(_request: HttpRequest, **_parts: str) -> HttpResponse:
    """A URL without a tenant: the gateway in front of the server answers that."""
    return HttpResponse(_NO_GATEWAY, status=502)


def _media_type(request: HttpRequest, place: Place) -> str:
    return media_types.chosen(request, place.version, scenarios.chosen("smart_content_type"))


def _root(place: Place) -> Root:
    return Root(
        realm=Realm(place.version, place.tenant),
        base=place.root,
        required_parameters=scenarios.chosen("smart_required_parameters"),
        page_size=int(scenarios.chosen("smart_page_size")),
        bare_patient_search=scenarios.chosen("smart_patient_search"),
        page_parameter="pageContext",
        page_extras=(("direction", "NEXT"),),
        optional_parameters=scenarios.chosen("smart_optional_parameters") == "understood",
    )
