"""Requests that wait for an administrator, from the portal and for system accounts, and deciding about them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from apps.sandbox.models import Application, ApplicationStatus, SystemAccount, SystemAccountStatus
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.portal import registering
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart.system_accounts import requesting

APPLICATION = "application"
SYSTEM_ACCOUNT = "system-account"
LONGEST_REASON = 400

_DECISIONS: dict[tuple[str, str], Callable[..., None]] = {
    (APPLICATION, "approve"): registering.approve,
    (APPLICATION, "reject"): registering.reject,
    (SYSTEM_ACCOUNT, "approve"): requesting.approve,
    (SYSTEM_ACCOUNT, "reject"): requesting.reject,
}


@dataclass(frozen=True)
class Pending:
    """One request. `kind` and `id` name it for `decide`; `facts` are shown to the administrator.

    An application whose developer has not fetched its credentials can be rejected, but not approved.
    """

    kind: str
    id: int
    name: str
    developer: str
    requested_at: datetime
    facts: tuple[str, ...]
    can_be_approved: bool


def pending() -> tuple[Pending, ...]:
    """Everything that waits, oldest first."""
    waiting = (ApplicationStatus.REQUESTED, ApplicationStatus.PROVISIONAL)
    applications = Application.objects.filter(status__in=waiting).select_related("developer")
    accounts = SystemAccount.objects.filter(status=SystemAccountStatus.REQUESTED).select_related("developer")
    rows = [*map(_of_application, applications), *map(_of_account, accounts)]
    return tuple(sorted(rows, key=lambda row: (row.requested_at, row.kind, row.id)))


def decide(kind: str, number: int, decision: str, *, reason: str = "", at: datetime) -> str:
    """Approve or reject one request ("approve", "reject"), and return its name. `reason` is for the developer. Raises
    RequestRefused if there is no such request, or if the decision is not possible (any more)."""
    act = _DECISIONS.get((kind, decision))
    model = Application if kind == APPLICATION else SystemAccount
    row = model.objects.filter(pk=number).first()
    if act is None or row is None:
        raise RequestRefused("There is no such request, or no such decision.")
    if len(reason) > LONGEST_REASON or "\0" in reason:
        raise RequestRefused(f"A reason has {LONGEST_REASON} characters at most.", "reason")
    try:
        act(row, at=at, decision=reason.strip())
    except MoveRefused:
        raise RequestRefused("This cannot be decided now: it was decided before, or is not complete.") from None
    return row.name if isinstance(row, Application) else row.client_name


def _of_application(row: Application) -> Pending:
    return Pending(
        kind=APPLICATION,
        id=row.pk,
        name=row.name,
        developer=row.developer.email if row.developer else "",
        requested_at=row.requested_at,
        facts=(*row.redirect_uris, *(f"FHIR {version.upper()}" for version in row.versions)),
        can_be_approved=row.status == ApplicationStatus.PROVISIONAL,
    )


def _of_account(row: SystemAccount) -> Pending:
    facts = [row.description, row.get_kind_display()]
    facts += [text for text in (row.client_number, row.client_mnemonic) if text]
    return Pending(
        kind=SYSTEM_ACCOUNT,
        id=row.pk,
        name=row.client_name,
        developer=row.developer.email if row.developer else "",
        requested_at=row.requested_at,
        facts=tuple(facts),
        can_be_approved=True,
    )
