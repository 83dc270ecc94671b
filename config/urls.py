"""Every address of the site, grouped by the app that answers it."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from config import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("apps.portal.urls")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.directory.urls")),
    path("", include("apps.connections.urls")),
    path("", include("apps.records.urls")),
    path("", include("apps.sharing.urls")),
    path("accounts/", include("allauth.urls")),
    # The admin's own page counts no tries, and tells neither the owner of a password nor the log that it changed.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("admin/", admin.site.urls),
    path("health/", health.health),
    path("ready/", health.ready),
]

if settings.DEBUG and getattr(settings, "EMAIL_FILE_PATH", None):
    # The demo's mailbox, by a string: `development` is absent from production's image.
    urlpatterns.append(path("development/mail/", include("development.mailbox.urls")))

handler400 = "apps.portal.views.errors.unreadable"
handler403 = "apps.portal.views.errors.forbidden"
handler404 = "apps.portal.views.errors.not_found"
handler429 = "apps.portal.views.errors.too_many_tries"  # the sign-in library asks for it
handler500 = "apps.portal.views.errors.failed"
