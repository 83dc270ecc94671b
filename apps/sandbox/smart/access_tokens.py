"""Access tokens of interface B: signed, not stored, valid for less than ten minutes (specification 2.3 and 8).

No token can be revoked: ending a grant ends its refresh tokens, and the last access token expires. It expires when the
application was told (specification 3), half a minute before what the switch `smart_access_seconds` says; with the
switch `smart_access_end` it works until a second before that, as was observed (interface facts 3.6), since ten minutes
would not be less than ten minutes.
"""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.sandbox import scenarios
from apps.sandbox.models import KeyPurpose, SmartGrant
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.identity import issuers, signing_keys

_KEPT_BACK_SECONDS = 30


@dataclass(frozen=True)
class Claims:
    """The claims of a token with a valid signature of ours. The caller checks whether it has expired.

    `patient_id` is the context in which the grant was given, empty without one.
    """

    grant_id: int
    account_id: int
    client_id: str
    place: Place
    scopes: tuple[str, ...]
    patient_id: str
    expires_at: datetime


def lifetime_seconds(grant: SmartGrant) -> int:
    """How long a token of this grant works."""
    return lifetime(grant.application.client_id)[0]


def told_seconds(grant: SmartGrant) -> int:
    """The lifetime that the application is told."""
    return lifetime(grant.application.client_id)[1]


def lifetime(client_id: str) -> tuple[int, int]:
    """How many seconds a token of this client works, and how many it is told."""
    under = int(scenarios.chosen("smart_access_seconds", client_id=client_id))
    told = under - _KEPT_BACK_SECONDS
    return told if scenarios.chosen("smart_access_end") == "as-told" else under - 1, told


def issue(grant: SmartGrant, *, at: datetime) -> str:
    """A new token for everything that the grant allows, a JWT signed with ES256."""
    place = Place(grant.host, grant.version, grant.tenant_id)
    claims = {
        "iss": issuers.authorization(),
        "aud": place.root,
        "sub": str(grant.account_id),
        "azp": grant.application.client_id,
        "jti": str(uuid.uuid4()),
        "iat": int(at.timestamp()),
        "exp": int((at + timedelta(seconds=lifetime_seconds(grant))).timestamp()),
        "tenant": grant.tenant_id,
        "host": grant.host,
        "version": grant.version,
        "persona": grant.persona,
        "grant": grant.pk,
        "scope": " ".join(grant.scopes),
        "patient": grant.patient_id,
        "encounter": grant.encounter_id,
    }
    return signing_keys.sign(claims, purpose=KeyPurpose.ACCESS, at=at)


def read(token: str) -> Claims:
    """The claims of a token. Raises `signing_keys.Forged` if it is not an access token for a person that we signed."""
    said = signing_keys.read(token, purpose=KeyPurpose.ACCESS)
    if "grant" not in said:  # a system's (`system_tokens`)
        raise signing_keys.Forged
    return Claims(
        grant_id=said["grant"],
        account_id=int(said["sub"]),
        client_id=said["azp"],
        place=Place(said["host"], said["version"], said["tenant"]),
        scopes=tuple(said["scope"].split()),
        patient_id=said["patient"],
        expires_at=datetime.fromtimestamp(said["exp"], UTC),
    )
