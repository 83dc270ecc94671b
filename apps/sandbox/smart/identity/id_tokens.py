"""ID tokens (OpenID Connect Core section 2): who signed in, for one application. RS256, and wrong on request.

Lawful differences are the switches `id_token`, `id_token_audience` and `fhir_user`; ways to be wrong are
`id_token_claims` and `id_token_form`, which can be combined.
"""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from apps.sandbox import scenarios
from apps.sandbox.models import KeyPurpose, SmartGrant
from apps.sandbox.smart.identity import issuers, signing_keys, wrong_claims, wrong_forms

LIFETIME = timedelta(minutes=10)
_OTHER_AUDIENCE = "another-application"
_SUBJECTS = uuid.UUID("c9b1c6f4-5a76-4a39-8d6b-0a5cf0c0f9d1")


def issue(grant: SmartGrant, *, at: datetime) -> str | None:
    """The ID token of a grant with `openid`, or None if the switch withholds it."""
    if scenarios.chosen("id_token") == "never":
        return None
    facts = wrong_claims.Facts(client_id=grant.application.client_id, tenant=grant.tenant_id, at=at)
    spoil = wrong_claims.WRONG_CLAIMS.get(scenarios.chosen("id_token_claims"))
    claims = _claims(grant, at=at)
    if spoil:
        claims = spoil(claims, facts)
    forge = wrong_forms.WRONG_FORMS.get(scenarios.chosen("id_token_form"))
    return forge(claims, at) if forge else signing_keys.sign(claims, purpose=KeyPurpose.IDENTITY, at=at)


def subject(grant: SmartGrant) -> str:
    """The `sub`: the same for a person at one tenant in every application, and meaningless elsewhere."""
    return uuid.uuid5(_SUBJECTS, f"{grant.tenant_id} {grant.account_id}").hex


def issuer(grant: SmartGrant) -> str:
    """The `iss` of the grant's ID tokens."""
    return issuers.identity(grant.tenant_id, grant.persona)


def fhir_user(grant: SmartGrant) -> str:
    """The `fhirUser` as the switch says: usually the absolute URL of the person's own resource; "" for none."""
    root = f"{settings.SANDBOX_ORIGIN}/b/{grant.host}/{grant.version}/{grant.tenant_id}"
    logical_id = grant.fhir_user.rpartition("/")[2]
    match scenarios.chosen("fhir_user"):
        case "absent":
            return ""
        case "relative":
            return grant.fhir_user
        case "foreign-root":
            return f"https://fhir.example/r4/{grant.fhir_user}"
        case "Practitioner" | "PractitionerRole" | "RelatedPerson" | "Person" as kind:
            return f"{root}/{kind}/{logical_id}"
        case _:
            return f"{root}/{grant.fhir_user}" if grant.fhir_user else ""


def _claims(grant: SmartGrant, *, at: datetime) -> dict[str, Any]:
    issued_at = int(at.timestamp())
    claims: dict[str, Any] = {
        "iss": issuer(grant),
        "sub": subject(grant),
        "iat": issued_at,
        "exp": issued_at + int(LIFETIME.total_seconds()),
        **_audience(grant.application.client_id),
    }
    if grant.nonce:
        claims["nonce"] = grant.nonce
    if user := fhir_user(grant):
        if "fhirUser" in grant.scopes and scenarios.chosen("fhir_user") != "profile-claim":
            claims["fhirUser"] = user
        if "profile" in grant.scopes or scenarios.chosen("fhir_user") == "profile-claim":
            claims["profile"] = user
    return claims


def _audience(client_id: str) -> dict[str, Any]:
    match scenarios.chosen("id_token_audience"):
        case "list-of-one":
            return {"aud": [client_id]}
        case "several":  # OpenID Connect Core section 3.1.3.7, 3 to 5
            return {"aud": [client_id, _OTHER_AUDIENCE], "azp": client_id}
        case _:
            return {"aud": client_id}
