"""URLs of the data routes below /a/{version}/fhir/. The last version segment is case-insensitive (facts 1.1)."""

from django.urls import re_path
from django.urls.resolvers import URLPattern

from apps.sandbox.fhir import views


def _under_base(rest: str, view: views.View) -> list[URLPattern]:
    """A route below the base. The view compares `tree` with the version, so that /a/r4/fhir/dstu2/ is empty."""
    return [re_path(rf"^(?P<tree>[A-Za-z0-9]+)/{rest}$", view)]


urlpatterns = [
    *_under_base(r"metadata", views.statement),
    *_under_base(r"document/(?P<name>[^/]+)", views.document),
    *_under_base(r"Binary/(?P<name>[^/]+)", views.binary),
    *_under_base(r"(?P<resource_type>[A-Za-z]+)", views.search),
    *_under_base(r"(?P<resource_type>[A-Za-z]+)/(?P<logical_id>[^/]+)", views.read),
    *_under_base(r".*", views.nothing),
]
