"""Every address of the sandbox. `version` is "dstu2" or "r4"; each has an authorization tree and a data tree (X1).

`a/` is the patient access API, `b/` the SMART deployment. Developers register at `portal/` for the one and at
`console/` for the other.
"""

from django.contrib import admin
from django.urls import include, path, re_path

from apps.sandbox.pages import views as pages

urlpatterns = [
    path("", pages.start, name="start"),
    re_path(r"^a/(?P<version>dstu2|r4)/auth/", include("apps.sandbox.patient_access.urls")),
    re_path(r"^a/(?P<version>dstu2|r4)/fhir/", include("apps.sandbox.fhir.urls")),
    path("a/description/", include("apps.sandbox.description.urls")),
    path("b/", include("apps.sandbox.smart.urls")),
    path("portal/", include("apps.sandbox.portal.urls")),
    path("developers/", include("apps.sandbox.developers.urls")),
    path("console/", include("apps.sandbox.smart.console.urls")),
    path("system-accounts/", include("apps.sandbox.smart.system_accounts.urls")),
    path("approvals/", include("apps.sandbox.approving.urls")),
    path("practice/", include("apps.sandbox.practice.urls")),
    path("control/", include("apps.sandbox.control.urls")),
    path("admin/", admin.site.urls),
]
