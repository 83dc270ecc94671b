"""Every URL below `/b/`. Hosts are path segments: `myrecord` (patients), `ehr` (clinicians), `open` (no token).

`storage` is where files of an export are, with signed URLs.
"""

from django.urls import include, path, re_path

from apps.sandbox.smart.bulk import views as bulk

urlpatterns = [
    path("", include("apps.sandbox.smart.authorization_urls")),
    path("", include("apps.sandbox.smart.identity_urls")),
    path("storage/<str:job_id>/<str:name>", bulk.stored),
    re_path(r"^(?P<host>myrecord|ehr|open)/", include("apps.sandbox.smart.data_urls")),
]
