"""Addresses below `/b/{host}/`: FHIR roots, which are `{version}/{tenant}`, with discovery and the data routes."""

from django.urls import re_path
from django.urls.resolvers import URLPattern

from apps.sandbox.smart.addresses import DEEP
from apps.sandbox.smart.bulk import views as bulk
from apps.sandbox.smart.data import views


def _below_root(rest: str, view: views.View) -> URLPattern:
    return re_path(rf"^(?P<version>dstu2|r4)/(?P<tenant>[^/]+)/(?P<below>{DEEP})?{rest}$", view)


urlpatterns = [
    _below_root(r"metadata", views.statement),
    _below_root(r"\.well-known/smart-configuration", views.smart_configuration),
    _below_root(r"Group/(?P<group_id>[^/]+)/\$export", bulk.export),
    _below_root(r"bulk-export/jobs/(?P<job_id>[^/]+)", bulk.status),
    _below_root(r"bulk-export/files/(?P<job_id>[^/]+)/(?P<name>[^/]+)", bulk.file),
    _below_root(r"document/(?P<name>[^/]+)", views.document),
    _below_root(r"Binary/(?P<name>[^/]+)", views.binary),
    _below_root(r"(?P<resource_type>[A-Za-z]+)", views.search),
    _below_root(r"(?P<resource_type>[A-Za-z]+)/(?P<logical_id>[^/]+)", views.read),
    _below_root(r".*", views.nothing),
    re_path(r"^(?P<version>dstu2|r4)/(?P<tenant>[^/]+)$", views.nothing),
    re_path(r"^", views.gateway),
]
