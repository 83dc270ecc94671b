"""URLs below `/b/` for keys, ID tokens, introspection, revocation, the manage page and launches."""

from django.urls import path

from apps.sandbox.smart.enabling import views as enabling
from apps.sandbox.smart.errors import views as errors
from apps.sandbox.smart.identity import views as identity
from apps.sandbox.smart.issued_grants import views as tending
from apps.sandbox.smart.launching import views as launching

_TENANT = "authorization/tenants/<str:tenant>"
_REVOKE = "protocols/oauth2/profiles/smart-v1/token/revoke"

urlpatterns = [
    path("authorization/jwk", identity.jwk, name="smart-jwk"),
    path(
        f"{_TENANT}/oidc/idsps/<str:idsp>/.well-known/openid-configuration",
        identity.openid_configuration,
        name="smart-openid-configuration",
    ),
    path("authorization/tokeninfo", tending.tokeninfo, name="smart-tokeninfo"),
    path(f"{_TENANT}/hosts/<str:host>/{_REVOKE}", tending.revoke, name="smart-revoke"),
    path(f"{_TENANT}/{_REVOKE}", tending.revoke, name="smart-revoke-older"),
    path(f"{_TENANT}/personas/patient/my-authorizations", tending.my_authorizations, name="smart-manage"),
    path("authorization/errors/<str:urn>/instances/<uuid:instance>", errors.explain, name="smart-error"),
    path("desk/", enabling.desk, name="smart-desk"),
    path("launch/", launching.portal, name="smart-launch"),
]
