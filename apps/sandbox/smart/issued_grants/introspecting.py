"""Introspection (RFC 7662, SMART token introspection): what a token permits, for the application that has it.

A token that is unknown, expired, ended, or another application's gets `{"active": false}` and nothing more.
"""

from datetime import datetime
from typing import Any

from apps.sandbox import bearer
from apps.sandbox.models import SmartApplication, SmartGrant, SmartRefreshToken
from apps.sandbox.smart import access_tokens, ending, refusing
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.identity import id_tokens, signing_keys

Answer = dict[str, Any]
_INACTIVE: Answer = {"active": False}


def told(application: SmartApplication, given: dict[str, str], *, at: datetime) -> Answer:
    """The response about `token`, of either kind. Raises Refusal if there is no token parameter."""
    if "token" not in given:
        raise refusing.invalid_request()
    try:
        claims = access_tokens.read(given["token"])
    except signing_keys.Forged:
        return _of_refresh_token(application, given["token"], at)
    return _of_access_token(application, claims, at)


def _of_access_token(application: SmartApplication, claims: access_tokens.Claims, at: datetime) -> Answer:
    grant = SmartGrant.objects.filter(pk=claims.grant_id, application=application).first()
    if grant is None or at >= claims.expires_at:
        return _INACTIVE
    return {**_common(grant), "token_type": "Bearer", "exp": int(claims.expires_at.timestamp())}


def _of_refresh_token(application: SmartApplication, token: str, at: datetime) -> Answer:
    row = (
        SmartRefreshToken.objects.select_related("grant__application")
        .filter(sha256=bearer.sha256(token), grant__application=application, rotated_at=None)
        .first()
    )
    if row is None or ending.has_ended(row.grant, at=at):
        return _INACTIVE
    return {**_common(row.grant), "exp": int(ending.idle_until(row.grant).timestamp())}


def _common(grant: SmartGrant) -> Answer:
    answer: Answer = {
        "active": True,
        "client_id": grant.application.client_id,
        "scope": " ".join(grant.scopes),
        "aud": Place(grant.host, grant.version, grant.tenant_id).root,
        "tenant": grant.tenant_id,
    }
    if grant.patient_id:
        answer["patient"] = grant.patient_id
    if grant.encounter_id:
        answer["encounter"] = grant.encounter_id
    if "openid" in grant.scopes:  # as in the ID token issued with it
        answer |= {"iss": id_tokens.issuer(grant), "sub": id_tokens.subject(grant)}
        if "fhirUser" in grant.scopes and (user := id_tokens.fhir_user(grant)):
            answer["fhirUser"] = user
    return answer
