"""Claim an authorization request once, for one answer, and record its outcome.

Writes to a request are made with its account's row locked. Closing an account takes the same lock first. So either it
waits and then finds what we wrote, or we find the account closed and write nothing.
"""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome


class AccountClosed(Exception):
    """The account was closed while the patient was at the provider: nothing may be kept for it."""


def claim(request: AuthorizationRequest, *, at: datetime) -> bool:
    """Claim the request for this answer. False if an earlier answer claimed it, or if it has expired."""
    rows = AuthorizationRequest.objects.filter(pk=request.pk, claimed_at__isnull=True, expires_at__gt=at)
    return bool(rows.update(claimed_at=at))


def hold_account(request: AuthorizationRequest) -> None:
    """Lock the request's account until the transaction ends. Raises AccountClosed."""
    if User.objects.select_for_update(no_key=True).filter(pk=request.user_id).first() is None:
        raise AccountClosed


def close(
    request: AuthorizationRequest, outcome: Outcome, *, connection: Connection | None = None, error_uri: str = ""
) -> None:
    """Record the outcome, and the connection that was made or reauthorized; delete what only an answer may use.

    Call it in a transaction that holds the account. Raises AccountClosed if the request is gone.
    """
    columns: dict[str, Any] = {
        "outcome": outcome,
        "error_uri": error_uri[:1000],
        "sealed_pkce_verifier": None,
        "sealed_launch": None,
    }
    if connection is not None:
        columns["connection"] = connection
    if not AuthorizationRequest.objects.filter(pk=request.pk).update(**columns):
        raise AccountClosed
    for column, value in columns.items():
        setattr(request, column, value)
