"""Every address of the sandbox. `version` is "dstu2" or "r4"; each has an authorization tree and a data tree (X1)."""

from django.contrib import admin
from django.urls import include, path, re_path

urlpatterns = [
    re_path(r"^a/(?P<version>dstu2|r4)/fhir/", include("apps.sandbox.fhir.urls")),
    path("admin/", admin.site.urls),
]
