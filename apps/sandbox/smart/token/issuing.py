"""The contents of a token response (specification 2.3; X42, X43): each field exactly under its condition."""

from datetime import datetime

from apps.sandbox import bearer, scenarios, token_fields
from apps.sandbox.models import SmartGrant, SmartRefreshToken
from apps.sandbox.patient_access import granting
from apps.sandbox.smart import access_tokens
from apps.sandbox.smart.identity import id_tokens

Answer = dict[str, str | int]


def access(grant: SmartGrant, *, at: datetime) -> Answer:
    """The four fields of every response; a refresh has no others. `scope` is what was granted, not what was
    requested."""
    return {
        "access_token": access_tokens.issue(grant, at=at),
        **token_fields.type_and_lifetime(access_tokens.told_seconds(grant)),
        "scope": " ".join(grant.scopes),
    }


def first(grant: SmartGrant, *, at: datetime) -> Answer:
    """The response to a code: also the granted context, a refresh token and an ID token."""
    answer = {**access(grant, at=at), **_context(grant)}
    if grant.access and scenarios.chosen("refresh_token") == "on":
        answer["refresh_token"] = refresh_token(grant, refreshed_at=None, at=at)
    if "openid" in grant.scopes and (id_token := id_tokens.issue(grant, at=at)) is not None:
        answer["id_token"] = id_token
    return answer


def refresh_token(grant: SmartGrant, *, refreshed_at: datetime | None, at: datetime) -> str:
    """A new refresh token of the grant. `refreshed_at`: when its predecessor was used, if it has one."""
    secret = granting.new_secret()
    SmartRefreshToken.objects.create(
        sha256=bearer.sha256(secret), grant=grant, issued_at=at, last_refreshed_at=refreshed_at
    )
    return secret


def _context(grant: SmartGrant) -> Answer:
    """The open patient and visit, if a launch context was granted and has them."""
    answer: Answer = {}
    is_granted = not {"launch", "launch/patient"}.isdisjoint(grant.scopes)
    if grant.patient_id and is_granted and scenarios.chosen("launch_patient") == "told":
        answer["patient"] = grant.patient_id
    if grant.encounter_id and is_granted:  # only a launch has one
        answer["encounter"] = grant.encounter_id
    return answer
