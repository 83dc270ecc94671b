"""Addresses below `/b/` of the authorization server: authorize, token, sign out."""

from django.urls import re_path

from apps.sandbox.smart.authorizing import views as authorizing
from apps.sandbox.smart.token import views as token

_TENANT = r"^authorization/tenants/(?P<tenant>[^/]+)"
_PERSONA = r"personas/(?P<persona>patient|provider)"

urlpatterns = [
    re_path(
        rf"{_TENANT}/protocols/oauth2/profiles/smart-v1/{_PERSONA}/authorize$",
        authorizing.authorize,
        name="smart-authorize",
    ),
    re_path(
        rf"{_TENANT}(?:/hosts/(?P<host>myrecord|ehr))?/protocols/oauth2/profiles/smart-v1/token$",
        token.token,
        name="smart-token",
    ),
    re_path(rf"{_TENANT}/{_PERSONA}/sign-out$", authorizing.sign_out, name="smart-sign-out"),
]
