"""Exchange a code for tokens, once (specification S3; X40 to X43, X64)."""

import base64
import hashlib
import hmac
from datetime import datetime

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import SmartApplication, SmartCode, SmartGrant
from apps.sandbox.smart import ending, refusing
from apps.sandbox.smart.refusing import Refusal
from apps.sandbox.smart.token import issuing, token_address
from apps.sandbox.smart.token.token_address import TokenAddress

_BAD_CODE = "oauth2:token:code-invalid-or-expired"


def exchange(
    application: SmartApplication | None, given: dict[str, str], address: TokenAddress, *, at: datetime
) -> issuing.Answer:
    """The response to a code. Raises Refusal; a second use also ends what the first one gave."""
    if application is None or "code" not in given:
        raise refusing.invalid_request()
    digest = bearer.sha256(given["code"])
    code = SmartCode.objects.select_related("grant__application", "grant__tenant").filter(sha256=digest).first()
    if code is None:
        raise refusing.invalid_grant(_BAD_CODE)
    if code.grant.application_id != application.pk:
        raise refusing.invalid_grant("oauth2:token:code:client:mismatch")
    if not address.is_of(code.grant):
        raise refusing.invalid_grant("oauth2:token:code:tenant:mismatch")
    if code.used_at is not None:
        raise _used_twice(code, at)
    if at >= code.expires_at or ending.has_ended(code.grant, at=at):
        raise refusing.invalid_grant(_BAD_CODE)
    token_address.check_organization(code.grant, terminated="oauth2:token:code:tenant-terminated")
    _check_sent_before(code, given)
    _check_verifier(code, given.get("code_verifier"))
    # By a conditional UPDATE: of two simultaneous exchanges, one finds nothing left to claim.
    if not SmartCode.objects.filter(sha256=code.sha256, used_at=None).update(used_at=at):
        raise _used_twice(code, at)
    SmartGrant.objects.filter(pk=code.grant_id).update(last_used_at=at)
    return issuing.first(code.grant, at=at)


def _used_twice(code: SmartCode, at: datetime) -> Refusal:
    ending.end(SmartGrant.objects.filter(pk=code.grant_id), reason="its code was used twice", at=at)
    return refusing.invalid_grant(_BAD_CODE)


def _check_sent_before(code: SmartCode, given: dict[str, str]) -> None:
    """X41, and the redirect URI: what is sent again must equal what came with the authorization request."""
    if "state" in given and given["state"] != code.state:
        raise refusing.invalid_grant(_BAD_CODE)
    is_needed = scenarios.chosen("token_redirect_uri") == "required" and bool(code.redirect_uri)
    if (is_needed or "redirect_uri" in given) and given.get("redirect_uri", "") != code.redirect_uri:
        raise refusing.invalid_grant("oauth2:token:invalid-redirect-uri")


def _check_verifier(code: SmartCode, verifier: str | None) -> None:
    """X64. A verifier without a challenge is refused as well: RFC 9700 section 2.1.1, against PKCE downgrade."""
    if scenarios.chosen("pkce") == "ignored" or (not code.code_challenge and verifier is None):
        return
    digest = hashlib.sha256((verifier or "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if verifier is None or not hmac.compare_digest(challenge, code.code_challenge):
        raise refusing.invalid_grant(_BAD_CODE)
