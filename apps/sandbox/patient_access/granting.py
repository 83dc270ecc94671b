"""Create the grant and authorization code when a patient allows access; end grants, with all their codes and tokens."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import Account, AuthorizationCode, Grant
from apps.sandbox.patient_access.asking import Asked

_HUGE = 16_384


def new_secret() -> str:
    """A code or token: 43 unguessable characters, or 16 KiB of them if the switch says so."""
    secret = secrets.token_urlsafe(32)
    return secret if scenarios.chosen("token_size") == "usual" else secret.ljust(_HUGE, "~")


def allow(asked: Asked, account: Account, *, denied_types: Collection[str], at: datetime) -> str:
    """The patient allowed everything but `denied_types`. Returns the authorization code, which is stored as a
    digest."""
    code = new_secret()
    with transaction.atomic():
        grant = Grant.objects.create(
            application=asked.application,
            account=account,
            version=asked.version,
            patient_ids=list(account.patient_ids(asked.version)),
            denied_types=sorted(denied_types),
            created_at=at,
        )
        AuthorizationCode.objects.create(
            sha256=bearer.sha256(code),
            grant=grant,
            redirect_uri=asked.redirect_uri,
            code_challenge=asked.code_challenge,
            expires_at=at + timedelta(seconds=int(scenarios.chosen("code_seconds"))),
        )
    return code


def end(grants: QuerySet[Grant], *, reason: str, at: datetime) -> int:
    """End these grants: their codes and tokens stop working at once. Returns how many open grants it ended."""
    ended = grants.filter(ended_at=None).update(ended_at=at, end_reason=reason)
    bearer.forget()
    return ended
