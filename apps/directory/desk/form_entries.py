"""Store what staff fill in at the registration desk, one function for each form.

Every change is audited, under a lock on its row (`registration_changes`). Raises NotNow if the table of moves forbids
the step, and for every step but switching off if the registration is rejected or retired.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, datetime
from typing import Any

from django.db.models import QuerySet

from apps.audit.recording import Actor
from apps.directory import (
    reaching,
    registering,
    registration_changes,
    registration_overview,
    rotating,
    signing,
    switching,
)
from apps.directory.desk import system_accounts
from apps.directory.models import ClientRegistration, SigningKey, SystemAccount
from apps.directory.registering import Terms
from apps.directory.registration_overview import Proof
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import FhirVersion
from apps.wire.secret import Secret

# A step that the row's status does not allow.
NotNow = (registering.StatusNotAllowed, system_accounts.AccountNotMoved, rotating.NotTheSuccessor)

_METHODS = {Proof.NONE: Authentication.NONE, Proof.KEY: Authentication.PRIVATE_KEY_JWT}


def keep_account(
    registration: ClientRegistration, *, developer_email: str, desk_url: str, support_contact: str, actor: Actor,
    at: datetime,
) -> None:  # fmt: skip
    """The developer account, where to sign in with it, and whom to ask there."""
    columns = {"developer_email": developer_email, "desk_url": desk_url, "support_contact": support_contact}
    _keep(registration, columns, actor=actor, at=at)


def keep_application(
    registration: ClientRegistration, *, application_name: str, application_id: str, actor: Actor, at: datetime
) -> None:
    """The application was requested there, under this name."""
    columns = {"application_name": application_name, "application_id": application_id}
    _keep(registration, columns, actor=actor, at=at)


def keep_choices(
    registration: ClientRegistration,
    *,
    application_name: str,
    proof: str,
    versions: Collection[str],
    smart_version: str,
    refresh_scope: str,
    asks_identity: bool,
    actor: Actor,
    at: datetime,
) -> None:
    """How an application is registered at a console: what is fixed there is fixed here. `proof` is of
    `registration_overview.Proof`; a key is made if one is needed and there is none."""
    with _standing(registration):
        _keep(registration, {"application_name": application_name}, actor=actor, at=at)
        terms = Terms(
            authentication=_method(registration, Proof(proof)),
            smart_version=smart_version,
            refresh_scope=refresh_scope,
            asks_identity=asks_identity,
        )
        registering.set_terms(registration, terms, actor=actor, at=at)
        add_versions(registration, versions=versions, actor=actor, at=at)
        if Proof(proof) is Proof.KEY and registration.signing_key is None:
            key = signing.current(at=at) or signing.make(actor=actor, at=at)
            registering.set_terms(registration, Terms(signing_key=key), actor=actor, at=at)


def request_account(
    registration: ClientRegistration,
    *,
    description: str,
    client_name: str,
    client_number: str,
    client_mnemonic: str,
    is_production: bool,
    actor: Actor,
    at: datetime,
) -> None:
    """A system account was requested with their form (specification 5.2.7). Its other questions are answered with no:
    the application is ours, and no system of theirs."""
    with _standing(registration) as row:
        _needs_account(row)
        account = system_accounts.note_request(
            description=description,
            client_name=client_name,
            client_number=client_number,
            client_mnemonic=client_mnemonic,
            is_production=is_production,
            actor=actor,
            at=at,
        )
        _keep(registration, {"system_account": account}, actor=actor, at=at)


def use_account(registration: ClientRegistration, *, account: SystemAccount, actor: Actor, at: datetime) -> None:
    """This registration uses an existing account."""
    with _standing(registration) as row:
        if row.system_account_id != account.pk:
            _needs_account(row)
        _keep(registration, {"system_account": account}, actor=actor, at=at)


def account_approved(registration: ClientRegistration, *, account_id: str, actor: Actor, at: datetime) -> None:
    """They approved the system account; its id is for the GUID field. Raises `system_accounts.AccountNotMoved`."""
    with _standing(registration) as row:
        if row.system_account is None:
            raise system_accounts.AccountNotMoved
        system_accounts.approve(row.system_account, account_id=account_id, actor=actor, at=at)


def account_rejected(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """They rejected it: another can be requested. Raises `system_accounts.AccountNotMoved`."""
    with _standing(registration) as row:
        if row.system_account is None:
            raise system_accounts.AccountNotMoved
        system_accounts.reject(row.system_account, actor=actor, at=at)
        _keep(registration, {"system_account": None}, actor=actor, at=at)


def usable_accounts() -> QuerySet[SystemAccount]:
    """Approved accounts, by name."""
    rows = SystemAccount.objects.filter(status=SystemAccount.Status.APPROVED)
    return rows.order_by("client_name", "description", "pk")


def keep_client_id(registration: ClientRegistration, *, client_id: str, actor: Actor, at: datetime) -> None:
    """The client id that the console gave."""
    with _standing(registration):
        registering.store_credentials(registration, client_id=client_id, secret=None, actor=actor, at=at)


def keep_credentials(
    registration: ClientRegistration,
    *,
    client_id: str,
    secret: str,
    rotation_due_date: date | None = None,
    actor: Actor,
    at: datetime,
) -> None:
    """The client id, and a secret unless it is empty. The secret is sealed, and never shown."""
    with _standing(registration):
        kept = Secret(secret) if secret else None
        registering.store_credentials(registration, client_id=client_id, secret=kept, actor=actor, at=at)
        if rotation_due_date is not None:
            _keep(registration, {"secret_rotation_due_date": rotation_due_date}, actor=actor, at=at)


def key_to_hand_over(registration: ClientRegistration) -> SigningKey | None:
    """The key that their copy of our key set must contain before we can sign with it, or sign at all; None if they need
    none."""
    if registration_overview.proof(registration) is not Proof.KEY or not registration.client_id:
        return None
    waits = registration.signing_key is None or rotating.waits_for_staff(registration)
    return rotating.successor(registration) if waits else None


def hand_over(registration: ClientRegistration, *, key: SigningKey, actor: Actor, at: datetime) -> None:
    """They have this key: sign with it from now on."""
    with _standing(registration):
        rotating.hand_over(registration, key, actor=actor, at=at)


def add_versions(registration: ClientRegistration, *, versions: Collection[str], actor: Actor, at: datetime) -> None:
    """Which FHIR versions the application was given there (specification 1.2)."""
    with _standing(registration):
        registering.set_versions(registration, [FhirVersion(version) for version in versions], actor=actor, at=at)


def approved(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """They approved it. Calling it again changes nothing."""
    registering.approve(registration, actor=actor, at=at)


def rejected(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """They rejected it: this registration is over, and a new one can be requested."""
    registering.move(registration, ClientRegistration.Status.REJECTED, actor=actor, at=at)


def switch(registration: ClientRegistration, *, is_on: bool, actor: Actor, at: datetime) -> None:
    """Let patients link with it, or stop everything at once; the latter even if it is rejected or retired."""
    with _standing(registration) if is_on else nullcontext():
        switching.switch_registration(registration, is_on=is_on, actor=actor, at=at)


def mended(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """What their server refused is fixed: patients may try again."""
    with _standing(registration):
        registering.clear_trouble(registration, actor=actor, at=at)


def _needs_account(row: ClientRegistration) -> None:
    """An account can be requested if there is none, or it was rejected."""
    if row.system_account is not None and row.system_account.status != SystemAccount.Status.REJECTED:
        raise system_accounts.AccountNotMoved


def _method(registration: ClientRegistration, proof: Proof) -> Authentication:
    """The authentication method for a kind of proof. For a secret, the present one, or else the dialect's."""
    if proof is not Proof.SECRET:
        return _METHODS[proof]
    if registration_overview.proof(registration) is Proof.SECRET:
        return Authentication(registration.authentication)
    return reaching.usual_dialect(registration.authorization_server).authentication


@contextmanager
def _standing(registration: ClientRegistration) -> Iterator[ClientRegistration]:
    """Its row, locked. Raises StatusNotAllowed if it is rejected or retired: nothing about it is stored any more."""
    with registration_changes.locked(registration) as row:
        if row.status in registering.OVER:
            raise registering.StatusNotAllowed
        yield row


def _keep(registration: ClientRegistration, columns: dict[str, Any], *, actor: Actor, at: datetime) -> None:
    with _standing(registration) as row:
        changed = [name for name, value in columns.items() if getattr(row, name) != value]
        for name in changed:
            setattr(row, name, columns[name])
        if changed:
            row.save(update_fields=changed)
            registration_changes.note_columns(row, "desk filled in", changed, actor=actor, at=at)
