"""Every address below `/b/`. Hosts are path segments: `myrecord` (patients), `ehr` (clinicians), `open` (no token)."""

from django.urls import include, path, re_path

urlpatterns = [
    path("", include("apps.sandbox.smart.authorization_urls")),
    path("", include("apps.sandbox.smart.identity_urls")),
    re_path(r"^(?P<host>myrecord|ehr|open)/", include("apps.sandbox.smart.data_urls")),
]
