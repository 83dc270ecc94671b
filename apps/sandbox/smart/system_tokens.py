"""Access tokens of systems: signed and not stored, like those of people, and valid for both versions of a tenant.

No person allowed them, so there is no grant and no context behind them (specification 5.2.5; X56).
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.sandbox.models import KeyPurpose, SystemAccount
from apps.sandbox.smart import access_tokens
from apps.sandbox.smart.identity import issuers, signing_keys


@dataclass(frozen=True)
class SystemClaims:
    """The claims of a token. `versions` are the FHIR versions of the roots that it permits; `host` is empty for every
    host. The caller checks whether it has expired."""

    account_id: str
    host: str
    tenant: str
    versions: tuple[str, ...]
    scopes: tuple[str, ...]
    expires_at: datetime


def told_seconds(account: SystemAccount) -> int:
    """The lifetime that the system is told."""
    return access_tokens.lifetime(str(account.client_id))[1]


def issue(
    account: SystemAccount, *, tenant: str, host: str, versions: Collection[str], scopes: Sequence[str], at: datetime
) -> str:
    """A new token, a JWT signed with ES256."""
    claims = {
        "iss": issuers.authorization(),
        "sub": str(account.client_id),
        "azp": str(account.client_id),
        "jti": str(uuid.uuid4()),
        "iat": int(at.timestamp()),
        "exp": int((at + timedelta(seconds=_lifetime_seconds(account))).timestamp()),
        "tenant": tenant,
        "host": host,
        "versions": sorted(versions),
        "scope": " ".join(scopes),
        "system": str(account.client_id),
    }
    return signing_keys.sign(claims, purpose=KeyPurpose.ACCESS, at=at)


def read(token: str) -> SystemClaims:
    """The claims of a token. Raises `signing_keys.Forged` for one that we did not sign for a system."""
    said = signing_keys.read(token, purpose=KeyPurpose.ACCESS)
    if "system" not in said:
        raise signing_keys.Forged
    return SystemClaims(
        account_id=said["system"],
        host=said["host"],
        tenant=said["tenant"],
        versions=tuple(said["versions"]),
        scopes=tuple(said["scope"].split()),
        expires_at=datetime.fromtimestamp(said["exp"], UTC),
    )


def _lifetime_seconds(account: SystemAccount) -> int:
    return access_tokens.lifetime(str(account.client_id))[0]
