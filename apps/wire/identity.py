"""Verifying an ID token, which says who signed in at the provider.

OpenID Connect Core 1.0 section 3.1.3.7, SMART App Launch 2.2 and interface facts 3.7. Only `verify` makes an
`Identity`. It says who used the provider's page, and is never a sign-in at our site.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.wire.addresses import AddressPolicy, parse_address
from apps.wire.bundles import LOGICAL_ID
from apps.wire.errors import IdentityFault, IdentityRefused, UnsafeAddress
from apps.wire.identity_keys import KeyFinder
from apps.wire.secret import Secret
from apps.wire.signatures import UnverifiedToken, check_signature, take_apart

__all__ = ["ALGORITHMS", "Identity", "KeyFinder", "fhir_user_reference", "verify"]

ALGORITHMS = frozenset({"RS256"})  # SMART App Launch 2.2; interface facts 3.7

_LEEWAY_SECONDS = 60  # clocks differ: conformance C72
_OLDEST_SECONDS = 86_400  # generous: the token was made during a sign-in that takes ten minutes at most
_LATEST = 253_402_300_800  # the year 10000; nobody means a later moment
_LONGEST_SUBJECT = 255  # OpenID Connect Core section 2
_LONGEST_REFERENCE = 2_048
_LONGEST_ISSUER = 1_000
_ADDRESS = re.compile(
    r"https?://[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+"
)  # RFC 3986: none of " < > \\ ^ ` { | }
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_PEOPLE = frozenset({"Patient", "Practitioner", "PractitionerRole", "RelatedPerson", "Person"})


@dataclass(frozen=True, repr=False)
class Identity:
    """A person as their issuer knows them: issuer and subject together are unique. `fhir_user` is as written."""

    issuer: str
    subject: str
    fhir_user: str | None


def verify(
    id_token: Secret,
    *,
    issuers: Collection[str],
    client_id: str,
    nonce: Secret | None,
    keys: KeyFinder,
    at: datetime,
    algorithms: Collection[str] = ALGORITHMS,
) -> Identity:
    """The person whom an ID token names, if the token is valid at `at`, give or take a minute.

    `issuers` are those that are allowed. They are compared exactly, before any key is requested. `nonce` is the one of
    the authorization request, or None if it had none. `algorithms` may allow other asymmetric ones besides RS256.

    Raises IdentityRefused, whose fault is the first that was found, and what `KeyFinder.find` raises.
    """
    token = take_apart(id_token.reveal(), algorithms=frozenset(algorithms))
    issuer = token.claims.get("iss")
    # a tuple, because every part of a single string would be "in" it
    if not isinstance(issuer, str) or issuer not in tuple(issuers):
        raise IdentityRefused(fault=IdentityFault.ISSUER, unverified_issuer=_as_address(issuer))
    _check_signed(token, issuer, keys, at)
    claims = token.claims
    _check_audience(claims, client_id)
    _check_times(claims, at.timestamp())
    _check_nonce(claims, nonce)
    return Identity(issuer, _subject(claims), _fhir_user(claims))


def fhir_user_reference(identity: Identity, fhir_base_url: str) -> tuple[str, str] | None:
    """Type and id of the person's FHIR resource, if that is directly below this FHIR base URL; else None.

    A relative reference is below it, too. On another base URL the same id is somebody else (interface facts 3.1).
    """
    written = identity.fhir_user or ""
    if written.startswith(("https://", "http://")):
        base = fhir_base_url.rstrip("/")
        if not _is_below(written, base):
            return None
        written = written.split("/", base.count("/") + 1)[-1]
    resource_type, _, logical_id = written.partition("/")
    is_person = resource_type in _PEOPLE and LOGICAL_ID.fullmatch(logical_id)
    return (resource_type, logical_id) if is_person else None


def _check_signed(token: UnverifiedToken, issuer: str, keys: KeyFinder, at: datetime) -> None:
    """Check the signature with the issuer's keys: first with those that we remember, then, if none fits, with those
    that the issuer publishes now."""
    known = keys.find(issuer, token.key_id, at=at)
    try:
        check_signature(token, known)
    except IdentityRefused as refusal:
        refused = refusal
    else:
        return
    published_now = keys.find_anew(issuer, token.key_id, at=at)
    if published_now is None:
        raise refused
    check_signature(token, published_now)


def _as_address(issuer: object) -> str:
    """The issuer, if it is a URL that is not too long; else empty."""
    is_address = isinstance(issuer, str) and len(issuer) <= _LONGEST_ISSUER and _ADDRESS.fullmatch(issuer)
    return str(issuer) if is_address else ""


def _is_below(url: str, base: str) -> bool:
    """Whether it has the same origin and is below that path, in which upper and lower case differ."""
    try:
        root, person = (parse_address(each, _as_written(each)) for each in (base, url))
    except (UnsafeAddress, ValueError):
        return False
    return person.origin == root.origin and person.path.startswith(root.path + "/")


def _as_written(url: str) -> AddressPolicy:
    """A policy that allows the URL's own origin: nothing is sent there, and the guard has checked the base URL
    already."""
    origin = "/".join(url.split("/", 3)[:3]).lower()
    return AddressPolicy(allow_loopback_http=True, approved_origins=frozenset({origin}))


def _check_audience(claims: Mapping[str, Any], client_id: str) -> None:
    written = claims.get("aud")
    audience = [written] if isinstance(written, str) else written
    if not isinstance(audience, list) or not all(isinstance(each, str) for each in audience):
        raise IdentityRefused(fault=IdentityFault.AUDIENCE)
    if client_id not in audience:
        raise IdentityRefused(fault=IdentityFault.AUDIENCE)
    # if azp is there, it must be us; and it must be there if there are several audiences
    if ("azp" in claims or len(audience) > 1) and claims.get("azp") != client_id:
        raise IdentityRefused(fault=IdentityFault.AUTHORIZED_PARTY)


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires_at, issued_at = _moment(claims, "exp"), _moment(claims, "iat")
    if expires_at is None or now >= expires_at + _LEEWAY_SECONDS:
        raise IdentityRefused(fault=IdentityFault.EXPIRED)
    if issued_at is None or issued_at > now + _LEEWAY_SECONDS or issued_at < now - _OLDEST_SECONDS:
        raise IdentityRefused(fault=IdentityFault.ISSUED_AT)
    if issued_at >= expires_at:
        raise IdentityRefused(fault=IdentityFault.ISSUED_AT)
    starts_at = _moment(claims, "nbf")
    if "nbf" in claims and (starts_at is None or starts_at > now + _LEEWAY_SECONDS):
        raise IdentityRefused(fault=IdentityFault.NOT_YET)


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < _LATEST else None


def _check_nonce(claims: Mapping[str, Any], nonce: Secret | None) -> None:
    """Refuse any nonce but ours. If we sent none, a nonce belongs to somebody else's request."""
    written = claims.get("nonce")
    if written is None and nonce is None:
        return
    if not isinstance(written, str) or not written or nonce is None or Secret(written) != nonce:
        raise IdentityRefused(fault=IdentityFault.NONCE)


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not _is_plain(subject):
        raise IdentityRefused(fault=IdentityFault.SUBJECT)
    return subject


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _fhir_user(claims: Mapping[str, Any]) -> str | None:
    """The claim, or its predecessor if that names the resource of a person (interface facts 3.7 [CER]).

    Invalid ones count as absent, because they say nothing about the validity of the token.
    """
    claim, predecessor = (_reference(claims.get(name)) for name in ("fhirUser", "profile"))
    return claim or (predecessor if predecessor and _PEOPLE & set(predecessor.split("/")[-2:-1]) else None)


def _reference(value: object) -> str | None:
    is_readable = isinstance(value, str) and len(value) <= _LONGEST_REFERENCE and _VISIBLE.fullmatch(value)
    return value if isinstance(value, str) and is_readable else None
