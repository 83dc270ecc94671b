"""Addresses below `/b/` of what proves who may do what: keys, ID tokens, revocation, the manage page, launches."""

from django.urls import path

from apps.sandbox.smart.errors import views as errors
from apps.sandbox.smart.identity import views as identity

_TENANT = "authorization/tenants/<str:tenant>"

urlpatterns = [
    path("authorization/jwk", identity.jwk, name="smart-jwk"),
    path(
        f"{_TENANT}/oidc/idsps/<str:idsp>/.well-known/openid-configuration",
        identity.openid_configuration,
        name="smart-openid-configuration",
    ),
    path("authorization/errors/<str:urn>/instances/<uuid:instance>", errors.explain, name="smart-error"),
]
