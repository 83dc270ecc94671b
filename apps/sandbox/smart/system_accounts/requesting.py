"""The life cycle of a system account: requested, approved, secret created and replaced, keys registered, retired.

Applications that name it authenticate with its credentials: replacing its secret breaks them at once, until they have
the new one (specification 5.2.8).
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.sandbox import bearer, registration, scenarios
from apps.sandbox.models import Developer, SystemAccount, SystemAccountKind, SystemAccountStatus
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart.clients import public_keys


@dataclass(frozen=True)
class Asked:
    """The form of specification 5.2.7, and how the account will authenticate."""

    description: str
    client_name: str
    client_number: str = ""
    client_mnemonic: str = ""
    is_production_system: bool = False
    is_vendor_client: bool = False
    is_millennium_system: bool = False
    kind: str = SystemAccountKind.SECRET


def request_account(asked: Asked, *, developer: Developer, at: datetime) -> SystemAccount:
    """Submit a request (with the switch `approval`: it is approved at once). `asked` comes from a validated form."""
    account = SystemAccount.objects.create(**vars(asked), developer=developer, requested_at=at)
    if scenarios.chosen("approval") == "instant":
        approve(account, at=at)
    return account


def approve(account: SystemAccount, *, at: datetime, decision: str = "") -> None:
    """Create the account: its id works from now on. Raises MoveRefused."""
    account.move(SystemAccountStatus.APPROVED, at=at, decision=decision)


def reject(account: SystemAccount, *, at: datetime, decision: str = "") -> None:
    """Reject the request. Raises MoveRefused."""
    account.move(SystemAccountStatus.REJECTED, at=at, decision=decision)


def retire(account: SystemAccount, *, at: datetime) -> None:
    """End the account for good, and every application that names it. Raises MoveRefused."""
    account.move(SystemAccountStatus.RETIRED, at=at)


def make_secret(account: SystemAccount, *, at: datetime) -> str:
    """Create the first or the next secret, available only here; an earlier one stops working at once. Raises
    MoveRefused if the account is not approved, or has keys."""
    if not account.is_approved or account.kind != SystemAccountKind.SECRET:
        raise MoveRefused(f"no secret for an account of kind {account.kind} that is {account.status}")
    secret = secrets.token_urlsafe(32)
    account.secret_sha256, account.secret_made_at = bearer.sha256(secret), at
    account.save(update_fields=["secret_sha256", "secret_made_at"])
    return secret


def register_keys(account: SystemAccount, *, jwks: str, jwks_url: str) -> None:
    """Replace the public keys: `jwks` is JSON, `jwks_url` a URL of this machine that publishes them; exactly one of the
    two. Raises RequestRefused, and MoveRefused as `make_secret` does."""
    if not takes_keys(account):
        raise MoveRefused(f"no keys for an account of kind {account.kind} that is {account.status}")
    if bool(jwks.strip()) == bool(jwks_url.strip()):
        raise RequestRefused("Give either the keys or the address that publishes them.", "jwks")
    address = jwks_url.strip()
    if address and not registration.is_of_this_machine(address):
        raise RequestRefused(
            "The sandbox asks addresses of this machine alone, such as http://127.0.0.1:8000/…", "jwks_url"
        )
    account.jwks = None if address else public_keys.checked(_read(jwks))
    account.jwks_url = address
    account.save(update_fields=["jwks", "jwks_url"])


def takes_keys(account: SystemAccount) -> bool:
    """Whether it can register keys: accounts of the other kind have a secret."""
    return account.is_approved and account.kind == SystemAccountKind.KEY


def _read(jwks: str) -> Mapping[str, object]:
    try:
        document = json.loads(jwks)
    except (ValueError, RecursionError):
        raise RequestRefused("This is not JSON.", "jwks") from None
    return document if isinstance(document, dict) else {}
