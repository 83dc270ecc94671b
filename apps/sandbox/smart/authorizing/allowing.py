"""Create the grant when a person allows access, and the code that the application exchanges for tokens."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import Account, RefreshAccess, SmartCode, SmartGrant
from apps.sandbox.patient_access import granting
from apps.sandbox.smart.authorizing import launching
from apps.sandbox.smart.authorizing.asked import Asked


class LaunchUsed(Exception):
    """The launch was used for another grant meanwhile."""


@transaction.atomic
def allow(
    asked: Asked, account: Account, *, scopes: Collection[str], patient_id: str, session_key: str, at: datetime
) -> str:
    """Store that the account allowed `scopes` (some of those requested), and return the code, which is stored as a
    digest.

    `patient_id` is the chosen patient, if one was chosen. Raises LaunchUsed.
    """
    if asked.launch is not None and not launching.claim(asked.launch, at=at):
        raise LaunchUsed
    access = _access(scopes)
    grant = SmartGrant.objects.create(
        application=asked.application,
        account=account,
        tenant_id=asked.place.tenant,
        host=asked.place.host,
        version=asked.place.version,
        persona=asked.persona,
        aud=asked.aud,
        scopes=list(scopes),
        patient_id=patient_id or (asked.launch.patient_id if asked.launch else ""),
        encounter_id=asked.launch.encounter_id if asked.launch else "",
        fhir_user=_fhir_user(asked, account),
        nonce=asked.nonce,
        session_key=session_key if access == RefreshAccess.ONLINE else "",
        access=access,
        created_at=at,
        last_used_at=at,
    )
    code = granting.new_secret()
    SmartCode.objects.create(
        sha256=bearer.sha256(code),
        grant=grant,
        redirect_uri=asked.redirect_uri,
        state=asked.way_back.state or "",
        code_challenge=asked.code_challenge,
        expires_at=at + timedelta(seconds=int(scenarios.chosen("code_seconds"))),
    )
    return code


def _access(scopes: Collection[str]) -> str:
    """How long refresh tokens live. If both scopes were granted, the longer one counts."""
    if "offline_access" in scopes:
        return RefreshAccess.OFFLINE
    return RefreshAccess.ONLINE if "online_access" in scopes else ""


def _fhir_user(asked: Asked, account: Account) -> str:
    if account.practitioner_id:
        return f"Practitioner/{account.practitioner_id}"
    return f"Patient/{asked.patients_of(account)[0]}"
