"""The keys of interface B. Each generation is three key pairs (EC P-256, EC P-384, RSA); three generations are
published.

A new generation is created every two days of sandbox time, and whenever somebody rotates by hand; the newest signs.
Then the oldest leaves the published set, so that a client sees nine keys, six of which it knows (interface facts 3.7).
A key id is a date with colons and dots.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, RSAKey, import_key

from apps.sandbox.models import KeyPurpose, SigningKey

Claims = dict[str, Any]

GENERATIONS = 3
EVERY = timedelta(days=2)
_SUFFIX = {KeyPurpose.ACCESS: ".p256", KeyPurpose.IDENTITY: ".rsa"}
_PAIRS = ((".p256", KeyPurpose.ACCESS), (".p384", KeyPurpose.ACCESS), (".rsa", KeyPurpose.IDENTITY))
_ALGORITHMS = {".p256": "ES256", ".p384": "ES384", ".rsa": "RS256"}
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)


class Forged(Exception):
    """A token that was not signed by a key of ours for this purpose."""


def sign(claims: Mapping[str, Any], *, purpose: KeyPurpose, at: datetime) -> str:
    """A JWT with these claims, signed by the newest key for the purpose: ES256 for access, RS256 for identity."""
    row = newest(purpose, at=at)
    header = {"alg": _algorithm(row.kid), "kid": row.kid, "typ": "JWT"}
    return jwt.encode(header, dict(claims), key_of(row))


def read(token: str, *, purpose: KeyPurpose) -> Claims:
    """The claims of a token that a key of ours for the purpose signed; they are not checked. Raises Forged.

    Retired keys count: what they signed expires by itself.
    """
    try:
        kid = str(jws.extract_compact(token.encode()).headers().get("kid", ""))
        if not kid.endswith(_SUFFIX[purpose]):
            raise Forged
        return dict(jwt.decode(token, _known(kid), algorithms=[_algorithm(kid)]).claims)
    except (JoseError, ValueError, TypeError, SigningKey.DoesNotExist):
        raise Forged from None


def key_set(*, at: datetime) -> dict[str, list[dict[str, Any]]]:
    """The public JSON Web Key Set (RFC 7517), newest generation first."""
    return {"keys": [public(row) for row in standing(at=at)]}


def public(row: SigningKey) -> dict[str, Any]:
    """The public half of one key, as published."""
    halves = key_of(row).as_dict(private=False)
    return {**halves, "kid": row.kid, "use": "sig", "alg": _algorithm(row.kid)}


def standing(*, at: datetime) -> list[SigningKey]:
    """The published keys, newest generation first; creates a generation that is due."""
    rows = _rows()
    due = _EPOCH + (at - _EPOCH) // EVERY * EVERY
    if not rows:
        for age in range(GENERATIONS):
            _make(due - age * EVERY)
    elif rows[0].created_at <= at - EVERY:
        _make(due)
        _retire(at)
    else:
        return rows
    return _rows()


def newest(purpose: KeyPurpose, *, at: datetime) -> SigningKey:
    """The key that signs now."""
    return next(row for row in standing(at=at) if row.kid.endswith(_SUFFIX[purpose]))


def rotate(*, at: datetime) -> list[SigningKey]:
    """Create a new generation now; the oldest leaves the published set. Returns what is published then."""
    newest_at = standing(at=at)[0].created_at
    _make(max(at, newest_at + timedelta(milliseconds=1)))  # twice at one moment is two generations
    _retire(at)
    return _rows()


def key_of(row: SigningKey) -> Key:
    """The key pair itself."""
    return import_key(row.private_jwk)


def _rows() -> list[SigningKey]:
    return list(SigningKey.objects.filter(retired_at=None).order_by("-created_at", "kid"))


def _make(created_at: datetime) -> None:
    """One generation. If two threads create the same one at once, the first wins: the ids are the same."""
    name = created_at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    rows = [
        SigningKey(
            kid=name + suffix,
            kty=_material(name + suffix)["kty"],
            private_jwk=_material(name + suffix),
            purpose=purpose,
            created_at=created_at,
        )
        for suffix, purpose in _PAIRS
    ]
    SigningKey.objects.bulk_create(rows, ignore_conflicts=True)


def _retire(at: datetime) -> None:
    kept = {row.created_at for row in _rows()}
    for created_at in sorted(kept, reverse=True)[GENERATIONS:]:
        SigningKey.objects.filter(created_at=created_at, retired_at=None).update(retired_at=at)


@lru_cache(maxsize=64)
def _material(kid: str) -> dict[str, Any]:
    """A new private key. Cached, so that a test's keys are not made again for every test."""
    if kid.endswith(".rsa"):
        return dict(RSAKey.generate_key(2048).as_dict(private=True))
    return dict(ECKey.generate_key("P-256" if kid.endswith(".p256") else "P-384").as_dict(private=True))


@lru_cache(maxsize=64)
def _known(kid: str) -> Key:
    """The key with this id, cached because data routes need it at every request. Raises SigningKey.DoesNotExist."""
    return key_of(SigningKey.objects.get(kid=kid))


def _algorithm(kid: str) -> str:
    return _ALGORITHMS[f".{kid.rpartition('.')[2]}"]
