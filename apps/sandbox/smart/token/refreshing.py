"""Exchange a refresh token for a new access token, any number of times (specification S4, 5.2.3, 7.4; X46 to X49)."""

from datetime import datetime, timedelta

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import ClientType, RefreshAccess, SmartApplication, SmartGrant, SmartRefreshToken
from apps.sandbox.smart import ending, refusing
from apps.sandbox.smart.token import issuing, token_address
from apps.sandbox.smart.token.token_address import TokenAddress

_DEAD = "oauth2:token:refresh-token:token-invalid"
_SESSION_OVER = "oauth2:token:refresh-token:session-invalid"
_SHORTEST = timedelta(seconds=60)


def refresh(
    application: SmartApplication | None, given: dict[str, str], address: TokenAddress, *, at: datetime
) -> issuing.Answer:
    """The four fields of specification 2.3, and a new refresh token only if the switch `rotation` is on.

    A public application sends only the grant type and the token; then `application` is None. Raises Refusal.
    """
    if "refresh_token" not in given:
        raise refusing.invalid_request()
    token = _token(given["refresh_token"], application, address)
    grant = token.grant
    if ending.has_ended(grant, at=at):
        raise refusing.invalid_grant(_SESSION_OVER if grant.access == RefreshAccess.ONLINE else _DEAD)
    token_address.check_organization(grant, terminated="oauth2:token:refresh-token:tenant-terminated")
    granted = _narrowed(grant, given.get("scope"))
    _check_pace(token, at)
    rotates = scenarios.chosen("rotation", client_id=grant.application.client_id) == "on"
    _check_rotated(token, rotates=rotates, at=at)
    SmartRefreshToken.objects.filter(pk=token.pk).update(last_refreshed_at=at)
    SmartGrant.objects.filter(pk=grant.pk).update(last_used_at=at)
    grant.scopes = granted  # of this access token alone: what was granted stays
    answer = issuing.access(grant, at=at)
    if rotates:
        answer["refresh_token"] = issuing.refresh_token(grant, refreshed_at=at, at=at)
    return answer


def _token(secret: str, application: SmartApplication | None, address: TokenAddress) -> SmartRefreshToken:
    """The refresh token, if it belongs to this application and token URL."""
    token = (
        SmartRefreshToken.objects.select_related("grant__application", "grant__tenant")
        .filter(sha256=bearer.sha256(secret))
        .first()
    )
    if token is None or not address.is_of(token.grant) or scenarios.chosen("refresh_tokens") == "forgotten":
        raise refusing.invalid_grant(_DEAD)
    owner = token.grant.application
    if application is None and owner.client_type != ClientType.PUBLIC:
        raise refusing.invalid_client()
    if not owner.is_approved:
        raise refusing.invalid_client("oauth2:token:terminated-client")
    if application is not None and application.pk != owner.pk:
        raise refusing.invalid_grant(_DEAD)
    return token


def _narrowed(grant: SmartGrant, wanted: str | None) -> list[str]:
    """Fewer scopes if fewer are requested; never more than were granted (RFC 6749 section 6)."""
    if wanted is None:
        return list(grant.scopes)
    if not set(wanted.split(" ")) <= set(grant.scopes):
        raise refusing.Refusal("invalid_scope", "oauth2:token:empty-scopes")
    return [scope for scope in grant.scopes if scope in wanted.split(" ")]


def _check_pace(token: SmartRefreshToken, at: datetime) -> None:
    """X47: refuse a refresh less than a minute after the last one, if the switch is on."""
    last = token.last_refreshed_at
    is_on = scenarios.chosen("refresh_throttle", client_id=token.grant.application.client_id) == "on"
    if is_on and last is not None and at < last + _SHORTEST:
        wait = int((last + _SHORTEST - at).total_seconds()) + 1
        raise refusing.Refusal(
            "temporarily_unavailable", "oauth2:token:throttled", status=429, retry_after_seconds=wait
        )


def _check_rotated(token: SmartRefreshToken, *, rotates: bool, at: datetime) -> None:
    """A replaced token no longer works, except within the grace period that the switch allows."""
    if token.rotated_at is None:
        if not rotates or SmartRefreshToken.objects.filter(pk=token.pk, rotated_at=None).update(rotated_at=at):
            return
        token.rotated_at = at  # another request rotated it a moment ago
    client_id = token.grant.application.client_id
    grace = timedelta(seconds=int(scenarios.chosen("rotation_grace", client_id=client_id)))
    if grace and at <= token.rotated_at + grace:
        return
    if scenarios.chosen("rotation_reuse", client_id=client_id) == "ends-grant":
        ending.end(SmartGrant.objects.filter(pk=token.grant_id), reason="a rotated refresh token came again", at=at)
    raise refusing.invalid_grant(_DEAD)
