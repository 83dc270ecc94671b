"""Client assertions: a JWT with which an application or a system authenticates (RFC 7523, SMART's asymmetric
authentication; X58).

Only registered keys count, or those published at the registered URL. A URL in the assertion (`jku`) is never fetched,
and refused if it is not the registered one.
"""

import json
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeGuard

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import import_key

from apps.sandbox import bearer
from apps.sandbox.models import SmartApplication, SmartAssertion, SystemAccount, SystemAssertion
from apps.sandbox.smart.clients import registered_keys

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LONGEST = timedelta(minutes=5)
_KINDS = {"RS384": "RSA", "ES384": "EC"}

_UNREADABLE = (JoseError, ValueError, TypeError, AttributeError, RecursionError)

Claims = Mapping[str, Any]


def unverified_issuer(assertion: str) -> str:
    """The issuer in the assertion, not verified; "" if it cannot be read."""
    try:
        issuer = json.loads(jws.extract_compact(assertion.encode()).payload).get("iss", "")
    except _UNREADABLE:
        return ""
    return issuer if isinstance(issuer, str) else ""


def is_good(assertion: str, application: SmartApplication, *, audiences: Collection[str], at: datetime) -> bool:
    """Whether it authenticates the application, here and now. It does so only once: its `jti` is stored until it
    expires."""
    digest = _proven(assertion, application.system_account, application.client_id, audiences, at)
    if digest is None:
        return False
    SmartAssertion.objects.filter(application=application, expires_at__lte=at).delete()
    _, is_new = SmartAssertion.objects.get_or_create(
        application=application, jti_sha256=digest, defaults={"expires_at": at + LONGEST}
    )
    return is_new


def is_good_of_system(assertion: str, account: SystemAccount, *, audiences: Collection[str], at: datetime) -> bool:
    """The same for a system account, whose id is the client id (specification 5.2.5)."""
    digest = _proven(assertion, account, str(account.client_id), audiences, at)
    if digest is None:
        return False
    SystemAssertion.objects.filter(account=account, expires_at__lte=at).delete()
    _, is_new = SystemAssertion.objects.get_or_create(
        account=account, jti_sha256=digest, defaults={"expires_at": at + LONGEST}
    )
    return is_new


def _proven(
    assertion: str, account: SystemAccount | None, client_id: str, audiences: Collection[str], at: datetime
) -> str | None:
    """The digest of its `jti`, if a key of the account signed it and its claims are valid."""
    claims = _signed_claims(assertion, account, at)
    if claims is None or not _fits(claims, client_id, audiences, at):
        return None
    try:
        return bearer.sha256(claims["jti"])
    except ValueError:  # half of a character
        return None


def _signed_claims(assertion: str, account: SystemAccount | None, at: datetime) -> Claims | None:
    """The claims, if one registered key of the right kind signed them."""
    try:
        header = jws.extract_compact(assertion.encode()).headers()
        algorithm, kid = header.get("alg"), header.get("kid")
        if account is None or algorithm not in _KINDS or not isinstance(kid, str) or not kid:
            return None
        if header.get("jku", account.jwks_url) != account.jwks_url or header.get("typ", "JWT") != "JWT":
            return None
        keys = registered_keys.named(account, kid, at=at)
        if len(keys) != 1 or keys[0].get("kty") != _KINDS[algorithm]:
            return None
        return jwt.decode(assertion, import_key(dict(keys[0])), algorithms=[algorithm]).claims
    except _UNREADABLE:
        return None


def _fits(claims: Claims, client_id: str, audiences: Collection[str], at: datetime) -> bool:
    now, expires, named = at.timestamp(), claims.get("exp"), claims.get("aud")
    named = [named] if isinstance(named, str) else named
    return (
        claims.get("iss") == client_id == claims.get("sub")
        and isinstance(named, list)
        and any(isinstance(one, str) and one in audiences for one in named)
        and _is_number(expires)
        and now < expires <= now + LONGEST.total_seconds()
        and all(_is_number(claims[name]) and claims[name] <= now + 60 for name in ("iat", "nbf") if name in claims)
        and isinstance(claims.get("jti"), str)
        and bool(claims["jti"])
    )


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
