"""Revocation (RFC 7009): a refresh token ends its grant. An unknown one also gets a 200.

Access tokens cannot be revoked here, they expire (interface facts 3.10): `unsupported_token_type`.
"""

from datetime import datetime

from apps.sandbox import bearer
from apps.sandbox.models import KeyPurpose, SmartApplication, SmartGrant
from apps.sandbox.smart import ending, refusing
from apps.sandbox.smart.identity import signing_keys
from apps.sandbox.smart.refusing import Refusal


def revoke(application: SmartApplication, given: dict[str, str], *, tenant: str, at: datetime) -> None:
    """End the grant of `token`, if it belongs to this application at this tenant. `token_type_hint` is only a hint.

    Raises Refusal if there is no token parameter, and for an access token.
    """
    if "token" not in given:
        raise refusing.invalid_request()
    if _is_access_token(given["token"]):
        raise Refusal("unsupported_token_type", "oauth2:token:unsupported-token-type")
    digest = bearer.sha256(given["token"])
    whose = SmartGrant.objects.filter(application=application, tenant_id=tenant, refresh_tokens__sha256=digest)
    ending.end(SmartGrant.objects.filter(pk__in=whose.values("pk")), reason="revoked by the application", at=at)


def _is_access_token(token: str) -> bool:
    try:
        signing_keys.read(token, purpose=KeyPurpose.ACCESS)
    except signing_keys.Forged:
        return False
    return True
