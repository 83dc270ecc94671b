"""ID tokens that are signed wrongly, or are none: one row a way. The `id_token_form` switch names a row.

Written by hand, because a library refuses to make most of them (RFC 8725 says why they are dangerous).
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from joserfc import jws
from joserfc.jwk import RSAKey

from apps.sandbox.models import KeyPurpose, SigningKey
from apps.sandbox.smart.identity import signing_keys

Claims = dict[str, Any]
Forge = Callable[[Claims, datetime], str]


@lru_cache(maxsize=1)
def _strangers_key() -> RSAKey:
    return RSAKey.generate_key(2048)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _part(value: object) -> str:
    return _encoded(json.dumps(value).encode())


def _ours(at: datetime) -> SigningKey:
    return signing_keys.newest(KeyPurpose.IDENTITY, at=at)


def _key(row: SigningKey) -> RSAKey:
    return RSAKey.import_key(row.private_jwk)


def _signed(header: Claims, payload: bytes, key: RSAKey) -> str:
    signed = f"{_part({'typ': 'JWT', **header})}.{_encoded(payload)}"
    return f"{signed}.{_encoded(jws.JWSRegistry.algorithms[header['alg']].sign(signed.encode(), key))}"


def _rightly(claims: Claims, at: datetime) -> str:
    return signing_keys.sign(claims, purpose=KeyPurpose.IDENTITY, at=at)


def _as(algorithm: str) -> Forge:
    """Signed by our own key, with an algorithm that was not agreed."""

    def forge(claims: Claims, at: datetime) -> str:
        row = _ours(at)
        header = {"alg": algorithm, "kid": row.kid}
        return _signed(header, json.dumps(claims).encode(), _key(row))

    return forge


def _unsigned(algorithm: str) -> Forge:
    """No signature, and a header that says so."""
    return lambda claims, at: f"{_part({'alg': algorithm, 'kid': _ours(at).kid})}.{_part(claims)}."


def _by_stranger(header: Callable[[datetime], Claims]) -> Forge:
    """Signed by a key that is not ours."""
    return lambda claims, at: _signed(header(at), json.dumps(claims).encode(), _strangers_key())


def _with_kid(kid: Callable[[datetime], str | None]) -> Forge:
    """Signed by our key, under another key's name or none."""

    def forge(claims: Claims, at: datetime) -> str:
        name = kid(at)
        header = {"alg": "RS256", **({"kid": name} if name else {})}
        return _signed(header, json.dumps(claims).encode(), _key(_ours(at)))

    return forge


def _hs256(claims: Claims, at: datetime) -> str:
    """A MAC keyed with our public key as text: accepted by clients that let the header choose the algorithm."""
    row = _ours(at)
    public = _key(row).as_pem(private=False)
    signed = f"{_part({'alg': 'HS256', 'kid': row.kid, 'typ': 'JWT'})}.{_part(claims)}"
    return f"{signed}.{_encoded(hmac.new(public, signed.encode(), hashlib.sha256).digest())}"


def _es256(claims: Claims, at: datetime) -> str:
    """Signed by the key for access tokens."""
    return signing_keys.sign(claims, purpose=KeyPurpose.ACCESS, at=at)


def _altered_signature(claims: Claims, at: datetime) -> str:
    head, payload, signature = _rightly(claims, at).split(".")
    return f"{head}.{payload}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"


def _altered_payload(claims: Claims, at: datetime) -> str:
    head, _payload, signature = _rightly(claims, at).split(".")
    return f"{head}.{_part({**claims, 'sub': 'somebody-else'})}.{signature}"


def _without_signature(claims: Claims, at: datetime) -> str:
    return _rightly(claims, at).rpartition(".")[0] + "."


def _critical(claims: Claims, at: datetime) -> str:
    """A header extension that must be understood, but is unknown (RFC 7515 section 4.1.11)."""
    row = _ours(at)
    header = {"alg": "RS256", "kid": row.kid, "crit": ["urn:sandbox:must"], "urn:sandbox:must": True}
    return _signed(header, json.dumps(claims).encode(), _key(row))


def _retired(claims: Claims, at: datetime) -> str:
    """Signed by a key of ours that is not published any more."""
    row = (
        SigningKey.objects.filter(purpose=KeyPurpose.IDENTITY).exclude(retired_at=None).order_by("-created_at").first()
    )
    if row is None:
        row = _ours(at)
        for _ in range(signing_keys.GENERATIONS):
            signing_keys.rotate(at=at)
    header = {"alg": "RS256", "kid": row.kid}
    return _signed(header, json.dumps(claims).encode(), _key(row))


def _payload(payload: bytes) -> Forge:
    """A valid signature, but no claims inside."""
    return lambda _claims, at: _signed({"alg": "RS256", "kid": _ours(at).kid}, payload, _key(_ours(at)))


def _other(purpose: KeyPurpose) -> Callable[[datetime], str]:
    """With the id of a published key that did not sign: the oldest."""
    return lambda at: str([row for row in signing_keys.key_set(at=at)["keys"] if _is_for(row, purpose)][-1]["kid"])


def _is_for(public: Claims, purpose: KeyPurpose) -> bool:
    return bool(public["kty"] == ("RSA" if purpose == KeyPurpose.IDENTITY else "EC"))


WRONG_FORMS: Mapping[str, Forge] = {
    "alg-none": _unsigned("none"),
    "alg-none-in-capitals": _unsigned("NONE"),
    "hs256-with-public-key": _hs256,
    "rs384": _as("RS384"),
    "ps256": _as("PS256"),
    "es256": _es256,
    "signature-altered": _altered_signature,
    "signature-missing": _without_signature,
    "payload-altered": _altered_payload,
    "key-foreign": _by_stranger(lambda at: {"alg": "RS256", "kid": _ours(at).kid}),
    "key-embedded": _by_stranger(
        lambda at: {"alg": "RS256", "kid": _ours(at).kid, "jwk": _strangers_key().as_dict(private=False)}
    ),
    "key-elsewhere": _by_stranger(lambda _at: {"alg": "RS256", "kid": "1", "jku": "https://keys.example/jwk"}),
    "key-retired": _retired,
    "kid-unknown": _by_stranger(lambda _at: {"alg": "RS256", "kid": "2001-01-01T00:00:00.000.rsa"}),
    "kid-missing": _with_kid(lambda _at: None),
    "kid-of-another-key": _with_kid(_other(KeyPurpose.IDENTITY)),
    "kid-of-an-ec-key": _with_kid(_other(KeyPurpose.ACCESS)),
    "critical-header": _critical,
    "payload-text": _payload(b"who am I"),
    "payload-list": _payload(b"[]"),
    "not-a-jwt": lambda _claims, _at: "who.am.I",
    "five-parts": lambda claims, at: f"{_rightly(claims, at)}.a.b",
    "cut": lambda claims, at: _rightly(claims, at)[:-20],
    "empty": lambda _claims, _at: "",
}
