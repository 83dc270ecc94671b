"""The token endpoint's work: a code or a refresh token for an access token (specification P2, P3 and section 3).

`authenticated` returns the application and `grant_of` the handler: `exchange` or `refresh`. Every error is a `Refusal`.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from apps.sandbox import bearer, scenarios, token_fields
from apps.sandbox.models import AccessToken, Application, AuthorizationCode, Grant, RefreshToken
from apps.sandbox.patient_access import granting
from apps.sandbox.patient_access.refusing import Refusal, invalid_client, invalid_grant

_WINDOWS = {"48h": timedelta(hours=48), "90d": timedelta(days=90)}
_SCOPE = "patient/*.read"  # says nothing about the types a patient left out: those answer 403


def authenticated(given: dict[str, str], version: str) -> Application:
    """The approved application with this id and secret. Raises Refusal."""
    application = Application.known(given.get("client_id", ""))
    digest = bearer.sha256(given.get("client_secret", ""))
    if application is None or not hmac.compare_digest(digest, application.secret_sha256):
        raise invalid_client()
    if not application.is_approved:
        raise invalid_client()
    if version not in application.versions:
        raise Refusal("unauthorized_client", "This API version was not added to the application.")
    return application


def grant_of(given: dict[str, str]) -> Callable[..., dict[str, str | int]]:
    """`exchange` or `refresh`, by the grant type. Raises Refusal for any other (X13)."""
    match given.get("grant_type"):
        case "authorization_code":
            return exchange
        case "refresh_token":
            return refresh
        case None:
            raise Refusal("invalid_request", "grant_type is needed.")
        case _:
            raise Refusal("unsupported_grant_type", "authorization_code and refresh_token are supported.")


def exchange(application: Application, given: dict[str, str], *, version: str, at: datetime) -> dict[str, str | int]:
    """Exchange a code for tokens, once. Raises Refusal; a second use also ends what the first one gave."""
    if not {"code", "redirect_uri"} <= given.keys():
        raise Refusal("invalid_request", "code and redirect_uri are needed.")
    code = (
        AuthorizationCode.objects.select_related("grant__application")
        .filter(sha256=bearer.sha256(given["code"]))
        .first()
    )
    if code is None or code.grant.application_id != application.pk or code.grant.version != version:
        raise invalid_grant("The code is unknown.")
    if code.used_at is not None:
        raise _used_twice(code, at)
    if code.redirect_uri != given["redirect_uri"]:
        raise invalid_grant("The code was sent to another address.")
    if code.grant.ended_at is not None or at >= code.expires_at:
        raise invalid_grant("The code has expired.")
    _check_verifier(code, given.get("code_verifier"))
    # By a conditional UPDATE: of two simultaneous exchanges, one finds nothing left to claim.
    if not AuthorizationCode.objects.filter(sha256=code.sha256, used_at=None).update(used_at=at):
        raise _used_twice(code, at)
    return first(code.grant, at=at)


def first(grant: Grant, *, at: datetime) -> dict[str, str | int]:
    """The response to a code."""
    return _tokens(grant, with_refresh=scenarios.chosen("refresh_token") == "on", at=at)


def refresh(application: Application, given: dict[str, str], *, version: str, at: datetime) -> dict[str, str | int]:
    """Exchange a refresh token for a new access token, within its window. Raises Refusal."""
    if "refresh_token" not in given:
        raise Refusal("invalid_request", "refresh_token is needed.")
    token = (
        RefreshToken.objects.select_related("grant__application")
        .filter(sha256=bearer.sha256(given["refresh_token"]))
        .first()
    )
    is_forgotten = scenarios.chosen("refresh_tokens") == "forgotten"
    if is_forgotten or token is None or (token.grant.application_id, token.grant.version) != (application.pk, version):
        raise invalid_grant("The refresh token is unknown.")
    if token.grant.ended_at is not None:
        raise invalid_grant("Access was taken away.")
    if at >= token.expires_at:
        raise invalid_grant("The refresh token was issued too long ago.")
    rotates = scenarios.chosen("rotation", client_id=application.client_id) == "on"
    if token.rotated_at is not None:
        _check_grace(token, at)
    elif rotates and not RefreshToken.objects.filter(sha256=token.sha256, rotated_at=None).update(rotated_at=at):
        token.rotated_at = at  # another request rotated it a moment ago
        _check_grace(token, at)
    return _tokens(token.grant, with_refresh=rotates, at=at)


@transaction.atomic
def _tokens(grant: Grant, *, with_refresh: bool, at: datetime) -> dict[str, str | int]:
    lifetime = int(scenarios.chosen("access_token_seconds", client_id=grant.application.client_id))
    access_token = granting.new_secret()
    AccessToken.objects.create(
        sha256=bearer.sha256(access_token), grant=grant, expires_at=at + timedelta(seconds=lifetime)
    )
    answer: dict[str, str | int] = {"access_token": access_token}
    if with_refresh:
        answer["refresh_token"] = refresh_token = granting.new_secret()
        RefreshToken.objects.create(
            sha256=bearer.sha256(refresh_token),
            grant=grant,
            issued_at=at,
            expires_at=at + _WINDOWS[scenarios.chosen("refresh_window")],
        )
    if scenarios.chosen("token_answer") == "full":
        answer |= {**token_fields.type_and_lifetime(lifetime), "scope": _SCOPE}
    return answer


def _used_twice(code: AuthorizationCode, at: datetime) -> Refusal:
    granting.end(Grant.objects.filter(pk=code.grant_id), reason="its code was used twice", at=at)
    return invalid_grant("The code was used before.")


def _check_verifier(code: AuthorizationCode, verifier: str | None) -> None:
    if scenarios.chosen("pkce") == "ignored":
        return
    if not code.code_challenge and verifier is None:
        return
    digest = hashlib.sha256((verifier or "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    # A verifier without a challenge is refused as well: RFC 9700 section 2.1.1, against PKCE downgrade.
    if not hmac.compare_digest(challenge, code.code_challenge):
        raise invalid_grant("The code verifier does not fit.")


def _check_grace(token: RefreshToken, at: datetime) -> None:
    client_id = token.grant.application.client_id
    grace = timedelta(seconds=int(scenarios.chosen("rotation_grace", client_id=client_id)))
    if token.rotated_at is not None and at <= token.rotated_at + grace and grace:
        return
    if scenarios.chosen("rotation_reuse", client_id=client_id) == "ends-grant":
        granting.end(Grant.objects.filter(pk=token.grant_id), reason="a rotated refresh token came again", at=at)
    raise invalid_grant("The refresh token was replaced by a newer one.")
