"""Three strings that name an issuer, per tenant; none can be derived from another (interface facts 3.7).

Access tokens, the SMART configuration and ID tokens each have their own.
"""

import uuid

from django.conf import settings

_NAMESPACE = uuid.UUID("6f4a3b1e-30c4-4d57-9d0b-7a4bb1a6e0c2")


def authorization() -> str:
    """The base URL of the authorization server, with a slash; the `iss` of access tokens."""
    return f"{settings.SANDBOX_ORIGIN}/b/authorization/"


def configuration(tenant: str) -> str:
    """The `issuer` of a tenant's SMART configuration, and the `iss` of its authorization responses (RFC 9207)."""
    return f"{authorization()}tenants/{tenant}"


def identity(tenant: str, persona: str) -> str:
    """The `iss` of ID tokens: it ends with a slash, and a tenant has one for patients and one for clinicians."""
    return f"{authorization()}tenants/{tenant}/oidc/idsps/{idsp(tenant, persona)}/"


def idsp(tenant: str, persona: str) -> str:
    """The opaque name of the identity provider behind it."""
    return str(uuid.uuid5(_NAMESPACE, f"{tenant} {persona}"))
