"""How a client registration authenticates at the token endpoint."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry

from apps.wire.errors import ClientRejected, Code
from apps.wire.secret import Secret

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"  # RFC 7523 section 2.2

# SMART allows five minutes. A server whose clock is a minute slow still does not find four too long.
_ASSERTION_LIFETIME = timedelta(minutes=4)


class Authentication(StrEnum):
    """The methods that a registration can have."""

    QUERY = "query"  # client_id and client_secret among the query parameters: specification 4.1, P2 and P3
    NONE = "none"  # a public client: client_id alone, RFC 6749 section 3.2.1
    BASIC = "client_secret_basic"  # RFC 6749 section 2.3.1
    BODY = "client_secret_post"  # RFC 6749 section 2.3.1
    PRIVATE_KEY_JWT = "private_key_jwt"  # a signed assertion as a form field: RFC 7523 section 2.2
    BEARER_JWT = "bearer_jwt"  # the header form of specification 4.2, S6


class SigningAlgorithm(StrEnum):
    """The algorithms that every SMART server supports (SMART App Launch 2.2; interface facts 4.2)."""

    RS384 = "RS384"
    ES384 = "ES384"


_KEY_TYPES: Mapping[SigningAlgorithm, str] = MappingProxyType(
    {SigningAlgorithm.RS384: "RSA", SigningAlgorithm.ES384: "EC"}
)
_NEED_A_SECRET = frozenset({Authentication.QUERY, Authentication.BASIC, Authentication.BODY})
_NEED_A_KEY = frozenset({Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})


@dataclass(frozen=True, repr=False)
class SigningKey:
    """One key of ours: `private_jwk` is its JSON (RFC 7517) with the private members."""

    kid: str
    algorithm: SigningAlgorithm
    private_jwk: Secret


@dataclass(frozen=True, repr=False)
class Client:
    """A client id with its credentials. Raises ClientRejected if the secret or key that the method needs is missing."""

    client_id: str
    secret: Secret | None
    authentication: Authentication
    signing_key: SigningKey | None = None

    def __post_init__(self) -> None:
        if not self.client_id:
            raise ClientRejected(code=Code.INVALID_CLIENT)
        if self.authentication in _NEED_A_SECRET and self.secret is None:
            raise ClientRejected(code=Code.INVALID_CLIENT)
        if self.authentication in _NEED_A_KEY and self.signing_key is None:
            raise ClientRejected(code=Code.UNSUPPORTED_AUTHENTICATION)


def assertion(client: Client, *, audience: str, at: datetime) -> Secret:
    """A client assertion for one request: SMART App Launch 2.2, "Authenticating to the token endpoint".

    It expires within five minutes, and its `jti` is never used again. It has no `iat`, because a server whose clock is
    slow would refuse it. Raises ClientRejected (UNSUPPORTED_AUTHENTICATION) if there is no key, or the key does not fit
    its algorithm.
    """
    signed = None
    if client.signing_key is not None:
        signed = _signed(client.client_id, client.signing_key, audience, at)
    if signed is None:
        raise ClientRejected(code=Code.UNSUPPORTED_AUTHENTICATION)
    return Secret(signed)


def _signed(client_id: str, key: SigningKey, audience: str, at: datetime) -> str | None:
    """The assertion; None if the library refuses the key, as its error text could contain a part of it."""
    claims = {
        "iss": client_id,
        "sub": client_id,
        "aud": audience,
        "exp": int((at + _ASSERTION_LIFETIME).timestamp()),
        "jti": secrets.token_urlsafe(32),
    }
    try:
        members = json.loads(key.private_jwk.reveal())
        private = JWKRegistry.import_key(members, _KEY_TYPES[key.algorithm])
        header = {"alg": key.algorithm.value, "kid": key.kid, "typ": "JWT"}
        return jwt.encode(header, claims, private, algorithms=[key.algorithm.value])
    except (JoseError, ValueError, TypeError):
        return None
