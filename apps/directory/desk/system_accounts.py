"""System accounts: requested at a SMART deployment with a form, and approved there by hand (specification 5.2.7).

The id that comes with the approval is entered in the console's GUID field, without which the application does not count
as authorized; it is also the client id for system access. Every change is audited. Raises AccountNotMoved if the table
of moves forbids the step.
"""

from datetime import datetime

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory.models import SystemAccount

Status = SystemAccount.Status


class AccountNotMoved(Exception):
    """The system account's status does not allow this, or it lacks its id."""


def note_request(
    *,
    description: str,
    client_name: str = "",
    client_number: str = "",
    client_mnemonic: str = "",
    is_production: bool = False,
    is_vendor_client: bool = False,
    is_platform_system: bool = False,
    actor: Actor,
    at: datetime,
) -> SystemAccount:
    """Store what was entered in the form, under the names of its fields. Unless stated otherwise, all three questions
    are answered with no, as the form requires for a client like ours."""
    with transaction.atomic():
        account = SystemAccount.objects.create(
            description=description,
            client_name=client_name,
            client_number=client_number,
            client_mnemonic=client_mnemonic,
            is_production=is_production,
            is_vendor_client=is_vendor_client,
            is_platform_system=is_platform_system,
            requested_at=at,
        )
        _note(account, "requested", actor=actor, at=at)
    return account


def approve(account: SystemAccount, *, account_id: str, actor: Actor, at: datetime) -> None:
    """It was approved there, and has this id. Raises AccountNotMoved without one."""
    if not account_id:
        raise AccountNotMoved
    _move(account, Status.APPROVED, {"account_id": account_id, "approved_at": at}, actor=actor, at=at)


def reject(account: SystemAccount, *, actor: Actor, at: datetime) -> None:
    """It was rejected there, or closed."""
    _move(account, Status.REJECTED, {"rejected_at": at}, actor=actor, at=at)


def _move(account: SystemAccount, status: Status, columns: dict[str, object], *, actor: Actor, at: datetime) -> None:
    with transaction.atomic():
        row = SystemAccount.objects.select_for_update().get(pk=account.pk)
        if status not in SystemAccount.MOVES[Status(row.status)]:
            raise AccountNotMoved
        row.status = status
        for column, value in columns.items():
            setattr(row, column, value)
        row.save(update_fields=["status", *columns])
        _note(row, "moved", actor=actor, at=at)
    account.refresh_from_db()


def _note(account: SystemAccount, action: str, *, actor: Actor, at: datetime) -> None:
    recording.record(
        EventType.REGISTRATION_CHANGED,
        actor=actor,
        at=at,
        subject="system account",
        subject_id=str(account.pk),
        facts={Fact.ACTION: action, Fact.STATUS: account.status},
    )
