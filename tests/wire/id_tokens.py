"""An issuer for tests: keys, documents, and any token, valid or not, made without the library that the product uses."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from apps.wire import identity
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import Code, IdentityFault, IdentityRefused
from apps.wire.identity_keys import KeyFinder
from apps.wire.secret import Secret
from tests.wire.servers import http

HASHES: dict[str, Any] = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}


@cache
def rsa_key(name: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    """The key of that name; made once."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def b64(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def b64json(value: Any) -> str:
    return b64(value if isinstance(value, bytes) else json.dumps(value).encode())


def number(value: int) -> str:
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def jwk(private: Any, kid: str | None, **members: Any) -> dict[str, Any]:
    """The public half, as an issuer publishes it."""
    public = private.public_key().public_numbers()
    if isinstance(private, rsa.RSAPrivateKey):
        written = {"kty": "RSA", "n": number(public.n), "e": number(public.e)}
    else:
        written = {"kty": "EC", "crv": "P-256", "x": b64(public.x.to_bytes(32)), "y": b64(public.y.to_bytes(32))}
    named: dict[str, Any] = {} if kid is None else {"kid": kid}
    return {**written, **named, **members}


def public_pem(private: rsa.RSAPrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def signature(algorithm: str, key: Any, signed: bytes) -> Any:
    """Signed as the algorithm says, with whatever key: also one that does not belong to it."""
    if algorithm == "none":
        return b""
    kind, digest = algorithm[:2], HASHES[algorithm[2:]]()
    if kind == "HS":
        return hmac.new(key, signed, getattr(hashlib, f"sha{algorithm[2:]}")).digest()
    if kind == "ES":
        r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(digest)))
        return r.to_bytes(32) + s.to_bytes(32)
    pss = padding.PSS(padding.MGF1(digest), digest.digest_size)
    return key.sign(signed, pss if kind == "PS" else padding.PKCS1v15(), digest)


def token(header: Any, claims: Any, key: Any, *, algorithm: str | None = None) -> str:
    """A compact token. `header` and `claims` are objects, or bytes for what no library would write."""
    signed = f"{b64json(header)}.{b64json(claims)}"
    return f"{signed}.{b64(signature(algorithm or header['alg'], key, signed.encode()))}"


def issuing(keys: list[Any], *, issuer: str = "/idsps/one/", stated: Mapping[str, Any] = MappingProxyType({})):
    """A server's answers: the issuer's openid-configuration, and its key set at /jwk, which the test may change.

    `stated` replaces members of the configuration; "{origin}" in it becomes the server's own.
    """

    def answer(request):
        origin = f"http://{request.headers['host']}"
        if request.target == issuer.rstrip("/") + "/.well-known/openid-configuration":
            named = {"issuer": "{origin}" + issuer, "jwks_uri": "{origin}/jwk", **stated}
            yield http(200, {name: v.format(origin=origin) if isinstance(v, str) else v for name, v in named.items()})
        elif request.target == "/jwk":
            yield http(200, {"keys": keys})
        else:
            yield http(404)

    return answer


LOOPBACK = AddressPolicy(allow_loopback_http=True)
NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
T = int(NOW.timestamp())
KID = "2026-11-19T08:00:00Z.rsa:1"  # colons and dots, as seen
HEADER = {"alg": "RS256", "kid": KID, "typ": "JWT"}
OURS = "our-client-id"
NONCE = Secret("n-0S6_WzA2Mj")

GENUINE = rsa_key("genuine")
ATTACKERS = rsa_key("attacker's")
CURVE = ec_key("genuine")
PUBLISHED: list[Any] = [
    jwk(GENUINE, KID, use="sig", alg="RS256"),
    jwk(rsa_key("older"), "older", use="sig"),
    jwk(CURVE, "curve", use="sig"),
    jwk(CURVE, "curve-for-encryption", use="enc"),
    jwk(GENUINE, "rsa-for-encryption", use="enc"),
    jwk(GENUINE, "rsa-for-384", use="sig", alg="RS384"),
    jwk(GENUINE, "rsa-that-only-signs", key_ops=["sign"]),
    jwk(rsa_key("small", 1024), "small"),
    {"kty": "oct", "kid": "symmetric", "k": b64(b"a shared secret")},
    {"kty": "RSA", "kid": "broken", "n": "####", "e": "AQAB"},
    {"kty": "RSA", "kid": "trivial", "n": jwk(GENUINE, None)["n"], "e": "AQ"},
    {"kty": "RSA", "kid": "half", "n": jwk(GENUINE, None)["n"]},
    {"kty": "AKP", "kid": "of tomorrow"},
    7,
]


class Issuer:
    """One issuer that is up for the whole module, and what verifies its tokens."""

    def __init__(self, url):
        self.issuer = url
        self.keys = KeyFinder(lambda: LOOPBACK)

    def claims(self, **changed):
        """The claims of a good token; None takes one out."""
        claims = {
            "iss": self.issuer, "sub": "person-1", "aud": OURS, "exp": T + 300, "iat": T - 5,
            "nonce": NONCE.reveal(), "fhirUser": "Patient/12",
        } | changed  # fmt: skip
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, *, header=None, key=GENUINE, algorithm=None, **changed):
        return token({**HEADER, **(header or {})}, self.claims(**changed), key, algorithm=algorithm)

    def verify(self, written, *, issuers=None, nonce=NONCE, at=NOW, **kwargs):
        return identity.verify(
            Secret(written),
            issuers=[self.issuer] if issuers is None else issuers,
            client_id=OURS,
            nonce=nonce,
            keys=self.keys,
            at=at,
            **kwargs,
        )


def refused(call) -> IdentityFault:
    """The fault of a refusal that hangs on nothing and says nothing."""
    error = None
    try:
        call()
    except IdentityRefused as refusal:
        error = refusal
    assert error is not None, "it was taken"
    assert (error.__cause__, error.__context__, error.args) == (None, None, ())
    assert error.code is Code.INVALID_IDENTITY
    return error.fault


def raw(header, claims, algorithm="RS256"):
    """Signed by the genuine key over bytes no library would write."""
    return lambda issuer: token(header, claims(issuer) if callable(claims) else claims, GENUINE, algorithm=algorithm)
