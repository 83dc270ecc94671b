"""Whom a bearer token of interface B authorizes, and where (RFC 6750; X50 to X52, X54).

A token's signature is verified once and then cached. Whether it has expired, whether its application still exists, and
whether the organization still allows that, is checked every time. Tokens cannot be revoked: they expire, or end with
their application.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest

from apps.sandbox import bearer, clock, scenarios
from apps.sandbox.fhir import store
from apps.sandbox.fhir.access import Access
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.models import SmartGrant
from apps.sandbox.smart import access_tokens, system_tokens
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.data import admitting
from apps.sandbox.smart.data.admitting import Standing
from apps.sandbox.smart.data.permissions import Permissions, permissions, system_permissions
from apps.sandbox.smart.identity import signing_keys

_MOST_REMEMBERED = 10_000
_remembered: dict[str, "_Borne | _BorneBySystem"] = {}


@dataclass(frozen=True)
class _Borne:
    """The claims of one token that requests need."""

    permissions: Permissions
    client_id: str
    expires_at: datetime

    def opens(self, place: Place) -> bool:
        """Whether it is for this root."""
        return self.permissions.place == place

    def access(self, _place: Place) -> Access:
        """What it permits there."""
        return self.permissions

    def standing(self, tenant: str) -> Standing:
        """Its application's standing with the organization."""
        return admitting.standing(self.client_id, tenant)


@dataclass(frozen=True)
class _BorneBySystem:
    """The same for a system's token."""

    claims: system_tokens.SystemClaims

    @property
    def expires_at(self) -> datetime:
        return self.claims.expires_at

    def opens(self, place: Place) -> bool:
        said = self.claims
        return said.host in ("", place.host) and place.tenant == said.tenant and place.version in said.versions

    def access(self, place: Place) -> Access:
        everybody = store.patient_ids(Realm(place.version, place.tenant))
        return system_permissions(place, self.claims.scopes, patient_ids=everybody)

    def standing(self, tenant: str) -> Standing:
        return admitting.standing_of_system(self.claims.account_id, tenant)


@dataclass(frozen=True)
class OpenAccess:
    """Everything, without a token: for the open host."""

    realm: Realm

    def patients(self, _resource_type: str, _interaction: str) -> tuple[str, ...]:
        """All patients."""
        return store.patient_ids(self.realm)

    def refusal(self, _resource_type: str, _interaction: str) -> Refusal | None:
        """Nothing is refused."""
        return None


def access_from(request: HttpRequest, place: Place) -> Access:
    """What the request may see at this root. Raises Refusal: 401 with a challenge, or 403 if the organization has not
    enabled the application."""
    if place.host == "open":
        return OpenAccess(Realm(place.version, place.tenant))
    header = request.META.get("HTTP_AUTHORIZATION", "")
    if header[:7].lower() != "bearer ":
        raise _unauthorized(f'Bearer realm="{place.host}"')
    borne = _read(header[7:].strip())
    on_its_way = timedelta(seconds=int(scenarios.chosen("latency_seconds")))
    is_taken = scenarios.chosen("access_tokens") == "known"
    if borne is None or not (is_taken and borne.opens(place)) or clock.now() + on_its_way >= borne.expires_at:
        raise _invalid(place)
    standing = borne.standing(place.tenant)
    if standing is Standing.OVER:
        raise _invalid(place)
    if standing is Standing.SHUT_OUT:
        raise inaccessible()
    return borne.access(place)


def inaccessible() -> Refusal:
    """403 for a tenant that is unknown, suspended, or has not enabled the application (interface facts 3.1)."""
    return Refusal(403, "forbidden", "The tenant is invalid or not accessible", as_text=True)


def forget() -> None:
    """Clear the cache: everything was reset."""
    _remembered.clear()


def _invalid(place: Place) -> Refusal:
    return _unauthorized(
        f'Bearer realm="{place.host}", error="invalid_token",'
        ' error_description="Token has expired or signature is invalid"'
    )


def _unauthorized(challenge: str) -> Refusal:
    return Refusal(401, "login", "A valid access token is needed", challenge=challenge)


def _read(token: str) -> "_Borne | _BorneBySystem | None":
    """The claims of a token of ours; None for any other, and for a token whose grant was deleted."""
    digest = bearer.sha256(token)
    known = _remembered.get(digest)
    if known is None:
        known = _looked_up(token) or _looked_up_of_system(token)
        if known is not None:
            if len(_remembered) >= _MOST_REMEMBERED:
                _remembered.clear()
            _remembered[digest] = known
    return known


def _looked_up(token: str) -> _Borne | None:
    try:
        claims = access_tokens.read(token)
    except signing_keys.Forged:
        return None
    grant = SmartGrant.objects.select_related("account").filter(pk=claims.grant_id).first()
    if grant is None:
        return None
    place = claims.place
    opened = permissions(
        place,
        claims.scopes,
        patient_id=claims.patient_id,
        account_patient_ids=grant.account.patient_ids(place.version, place.tenant),
    )
    return _Borne(opened, claims.client_id, claims.expires_at)


def _looked_up_of_system(token: str) -> _BorneBySystem | None:
    try:
        return _BorneBySystem(system_tokens.read(token))
    except signing_keys.Forged:
        return None
