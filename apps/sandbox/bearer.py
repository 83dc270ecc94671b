"""Whom a bearer token authorizes (RFC 6750). Needed for every data request, so the lookup is cached."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from apps.sandbox import clock, scenarios
from apps.sandbox.models import AccessToken, ApplicationStatus

_PREFIX = "Bearer "
_MOST_REMEMBERED = 10_000
_remembered: dict[str, tuple["Access", datetime]] = {}
_forgotten = 0  # how often: what was read before is not remembered after


@dataclass(frozen=True)
class Access:
    """What a valid token permits: these Patients (the account's own first), in one version, except the denied types."""

    account_id: int
    patient_ids: tuple[str, ...]
    denied_types: frozenset[str]
    version: str
    client_id: str


class Unauthorized(Exception):
    """The request is not authorized. `reason` is missing, unknown (including ended grants and retired applications),
    expired or other-version."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def challenge(self) -> str:
        """WWW-Authenticate: without an error attribute if no token was sent (RFC 6750 section 3.1)."""
        if self.reason == "missing":
            return 'Bearer realm="sandbox"'
        return 'Bearer realm="sandbox", error="invalid_token", error_description="The token opens nothing here"'


def access_from(request: HttpRequest, version: str) -> Access:
    """What the request's Authorization header permits in `version` ("dstu2" or "r4"). Raises Unauthorized.

    Tokens in the query or the body do not count.
    """
    header = request.META.get("HTTP_AUTHORIZATION", "")
    if header[:7].lower() != _PREFIX.lower():
        raise Unauthorized("missing")
    if scenarios.chosen("access_tokens") == "refused":
        raise Unauthorized("unknown")
    digest = sha256(header[7:].strip())
    access, expires_at = _remembered.get(digest) or _look_up(digest)
    if access.version != version:
        raise Unauthorized("other-version")
    if clock.now() >= expires_at:
        raise Unauthorized("expired")
    return access


def forget() -> None:
    """Clear the cache: a grant or an application ended, or everything was reset."""
    global _forgotten  # noqa: PLW0603 - the process's own memory, as the one beside it
    _forgotten += 1
    _remembered.clear()


def sha256(token: str) -> str:
    """The form in which codes, tokens and secrets are stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _look_up(digest: str) -> tuple[Access, datetime]:
    began = _forgotten
    known = AccessToken.objects.select_related("grant__application").filter(sha256=digest)
    row = known.filter(grant__ended_at=None, grant__application__status=ApplicationStatus.APPROVED).first()
    if row is None:
        raise Unauthorized("unknown")
    access = Access(
        account_id=row.grant.account_id,
        patient_ids=tuple(row.grant.patient_ids),
        denied_types=frozenset(row.grant.denied_types),
        version=row.grant.version,
        client_id=row.grant.application.client_id or "",
    )
    if len(_remembered) >= _MOST_REMEMBERED:
        _remembered.clear()
    if began == _forgotten:
        _remembered[digest] = access, row.expires_at
    return access, row.expires_at
