"""The JWS around an ID token: taking it apart, and checking its signature with a published key.

RFC 7515 and RFC 8725. The header's own statements about keys (`jku`, `jwk`, `x5u`, `x5c`) are ignored, because a token
must not bring the key with which it is verified. The algorithm must be on our list and fit the type of the key, and is
never symmetric.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from apps.wire.errors import IdentityFault, IdentityRefused
from apps.wire.identity_keys import PublishedKey

# Each asymmetric algorithm, and the type of its key (RFC 7518 section 3.1). Nothing else can be allowed.
_KEY_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
}
_CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}

_LARGEST_TOKEN = 32_768
_SMALLEST_MODULUS_BITS = 2048  # RFC 7518 section 3.3
_LARGEST_MODULUS_BITS = 8192
_LARGEST_EXPONENT = 2**32
_PART = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, repr=False)
class UnverifiedToken:
    """A token taken apart. Do not trust anything in it yet."""

    text: str
    algorithm: str
    key_id: str | None
    claims: Mapping[str, Any]


def take_apart(token: str, *, algorithms: Collection[str]) -> UnverifiedToken:
    """Header and claims, unverified. Raises IdentityRefused: TOO_LARGE, MALFORMED, CRITICAL_HEADER, ALGORITHM."""
    if len(token) > _LARGEST_TOKEN:
        raise IdentityRefused(fault=IdentityFault.TOO_LARGE)
    parts = token.split(".")
    if len(parts) != 3 or not all(map(_PART.fullmatch, parts[:2])):
        raise IdentityRefused(fault=IdentityFault.MALFORMED)
    header, claims = _object(parts[0]), _object(parts[1])
    # b64 changes what is signed (RFC 7797), and must be accompanied by crit
    if "crit" in header or "b64" in header:
        raise IdentityRefused(fault=IdentityFault.CRITICAL_HEADER)
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or algorithm not in algorithms or algorithm not in _KEY_TYPES:
        raise IdentityRefused(fault=IdentityFault.ALGORITHM)
    if not isinstance(key_id, str | None) or not _PART.fullmatch(parts[2]):
        raise IdentityRefused(fault=IdentityFault.MALFORMED)
    return UnverifiedToken(token, algorithm, key_id, claims)


def check_signature(token: UnverifiedToken, keys: Collection[PublishedKey]) -> None:
    """Check that one of the keys signed the token. Raises IdentityRefused: UNKNOWN_KEY, UNSUITABLE_KEY, SIGNATURE.

    A token that names no key is accepted only if exactly one of the keys is suitable (OpenID Connect Core 10.1).
    """
    if not keys:
        raise IdentityRefused(fault=IdentityFault.UNKNOWN_KEY)
    suitable = [key for key in (_suitable(each, token.algorithm) for each in keys) if key is not None]
    if not suitable:
        raise IdentityRefused(fault=IdentityFault.UNSUITABLE_KEY)
    if token.key_id is None and len(suitable) > 1:
        raise IdentityRefused(fault=IdentityFault.UNKNOWN_KEY)
    if not any(_is_signed(token, key) for key in suitable):
        raise IdentityRefused(fault=IdentityFault.SIGNATURE)


def _is_signed(token: UnverifiedToken, key: RSAKey | ECKey) -> bool:
    algorithm = jws.JWSRegistry.algorithms[token.algorithm]
    signed, _, signature = token.text.rpartition(".")
    try:
        return algorithm.verify(signed.encode("ascii"), _octets(signature), key)
    except (JoseError, ValueError):
        return False


def _suitable(key: PublishedKey, algorithm: str) -> RSAKey | ECKey | None:
    """The key, if it is suitable for this algorithm, without private members that somebody published."""
    members = key.members
    wanted = _KEY_TYPES[algorithm]
    operations = members.get("key_ops", ["verify"])
    if (
        members.get("kty") != wanted
        or members.get("use", "sig") != "sig"
        or members.get("alg", algorithm) != algorithm
        or not (isinstance(operations, list) and "verify" in operations)
    ):
        return None
    return _rsa_key(members) if wanted == "RSA" else _ec_key(members, _CURVES[algorithm])


def _rsa_key(members: Mapping[str, Any]) -> RSAKey | None:
    modulus, exponent = _number(members.get("n")), _number(members.get("e"))
    if not _SMALLEST_MODULUS_BITS <= modulus.bit_length() <= _LARGEST_MODULUS_BITS:
        return None
    if not 0 < exponent <= _LARGEST_EXPONENT:  # a large one is slow; the library refuses small and even ones
        return None
    try:
        return RSAKey.import_key({"kty": "RSA", "n": members["n"], "e": members["e"]})
    except (JoseError, ValueError):
        return None


def _ec_key(members: Mapping[str, Any], curve: str) -> ECKey | None:
    x, y = members.get("x"), members.get("y")
    if members.get("crv") != curve or not (isinstance(x, str) and isinstance(y, str)):
        return None
    try:
        return ECKey.import_key({"kty": "EC", "crv": curve, "x": x, "y": y})
    except (JoseError, ValueError):
        return None


def _number(written: object) -> int:
    """A member of a key as a number (RFC 7518 section 2), or 0."""
    if not isinstance(written, str) or not _PART.fullmatch(written):
        return 0
    try:
        return int.from_bytes(_octets(written), "big")
    except ValueError:
        return 0


def _octets(part: str) -> bytes:
    """Decode base64url without padding (RFC 7515 section 2). Raises ValueError for any but the canonical encoding."""
    octets = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if urlsafe_b64encode(octets).rstrip(b"=") != part.encode("ascii"):
        raise ValueError
    return octets


def _object(part: str) -> dict[str, Any]:
    """A part as a JSON object, in which no name may occur twice (RFC 8725 section 2.6 and RFC 7519 section 4)."""
    read: object = None
    try:
        read = json.loads(_octets(part).decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise IdentityRefused(fault=IdentityFault.MALFORMED)
    return read


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError
    return members


def _refuse(_constant: str) -> None:
    raise ValueError  # NaN and Infinity are no JSON
