"""What each step of the desk does: the form it shows, its initial data, and the one call that it makes
into the domain.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from apps.audit.recording import Actor
from apps.directory import registration_overview
from apps.directory.desk import form_entries
from apps.directory.models import ClientRegistration, SystemAccount
from apps.directory.registration_overview import Proof
from apps.portal.desk import steps
from apps.portal.desk.forms import (
    AccountForm,
    AccountIdForm,
    ApplicationForm,
    ChoicesForm,
    ClientIdForm,
    CredentialsForm,
    HandOverForm,
    SystemAccountForm,
    UseAccountForm,
    VersionsForm,
)
from apps.portal.desk.steps import Key

Status = ClientRegistration.Status

MOST_LISTED = 50

Keep = Callable[..., None]

USE_ACCOUNT = "use-account"
HAND_OVER = "key-handed-over"

# Whatever stores a secret, lets patients in or shuts them out requires a recent password.
WANT_PASSWORD = frozenset({Key.CREDENTIALS.value, Key.PROOF.value, HAND_OVER, "rejected", "switch-on", "switch-off"})

FORMS: Mapping[str, tuple[type[forms.Form], Keep]] = {
    Key.ACCOUNT: (AccountForm, form_entries.keep_account),
    Key.APPLICATION: (ApplicationForm, form_entries.keep_application),
    Key.CHOICES: (ChoicesForm, form_entries.keep_choices),
    Key.CLIENT_ID: (ClientIdForm, form_entries.keep_client_id),
    Key.CREDENTIALS: (CredentialsForm, form_entries.keep_credentials),
    Key.PROOF: (CredentialsForm, form_entries.keep_credentials),
    Key.VERSIONS: (VersionsForm, form_entries.add_versions),
    Key.SYSTEM_ACCOUNT: (SystemAccountForm, form_entries.request_account),
    USE_ACCOUNT: (UseAccountForm, form_entries.use_account),
    HAND_OVER: (HandOverForm, form_entries.hand_over),
}
_OF_A_REQUESTED_ACCOUNT: tuple[type[forms.Form], Keep] = (AccountIdForm, form_entries.account_approved)


def _switch(*, is_on: bool) -> Keep:
    def switch(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
        form_entries.switch(registration, is_on=is_on, actor=actor, at=at)

    return switch


MENDED = "mended"
_STANDS_ON = {
    USE_ACCOUNT: Key.SYSTEM_ACCOUNT.value,
    HAND_OVER: Key.PROOF.value,
    "account-rejected": Key.SYSTEM_ACCOUNT.value,
    "approved": Key.APPROVAL.value,
    "rejected": Key.APPROVAL.value,
    "switch-on": Key.SWITCH.value,
    "switch-off": Key.SWITCH.value,
}

# Steps that are only a button, without a form.
BUTTONS: Mapping[str, Keep] = {
    "approved": form_entries.approved,
    "rejected": form_entries.rejected,
    "switch-on": _switch(is_on=True),
    "switch-off": _switch(is_on=False),
    MENDED: form_entries.mended,
    "account-rejected": form_entries.account_rejected,
}


def form(step: str, registration: ClientRegistration, data: QueryDict | None = None) -> forms.Form:
    """The form of a step, filled with what is stored; never with a secret."""
    made, _keep = _pair(step, registration)
    options: dict[str, Any] = {"initial": _initial(registration)}
    if made in {ChoicesForm, VersionsForm}:
        found = registration_overview.versions(registration)
        options["fhir_versions"] = [(version, steps.version_name(version)) for version in found]
    if made is CredentialsForm:
        options["has_secret"] = registration.sealed_secret is not None
    if made is UseAccountForm:
        options["accounts"] = form_entries.usable_accounts()
    return made(data, **options)


def keep(
    step: str, registration: ClientRegistration, cleaned: Mapping[str, Any], *, actor: Actor, at: datetime
) -> None:
    """Store the input. Raises `form_entries.NotNow`."""
    _form, keep_it = _pair(step, registration)
    keep_it(registration, **cleaned, actor=actor, at=at)


def opened_by(step: str) -> str:
    """The step on whose page a form or button is."""
    return _STANDS_ON.get(step, step)


def is_step_of(step: str, registration: ClientRegistration) -> bool:
    """Whether a registration of this kind has such a form or button. A secret is stored only if the registration
    authenticates with one."""
    if step not in FORMS and step not in BUTTONS:
        return False
    if step == Key.PROOF and registration_overview.proof(registration) is not Proof.SECRET:
        return False
    return step == MENDED or opened_by(step) in steps.OF_KIND[registration_overview.kind(registration)]


def why_not_this(step: str) -> str:
    """Why the choice in a second form on a step's page is impossible; empty for a form that shows its own errors."""
    return {
        USE_ACCOUNT: _("That account cannot be used any more. Choose another."),
        HAND_OVER: _("That key is no longer the next one. Look again to see which one is."),
    }.get(step, "")


def why_not_now(registration: ClientRegistration) -> str:
    """Why a step is impossible in the registration's current status."""
    if registration.status == Status.REJECTED:
        return _("Nothing was changed: they refused this registration, so it is over.")
    if registration.status == Status.RETIRED:
        return _("Nothing was changed: this registration is retired, so it is over.")
    return _("Nothing was changed: that step is not possible now. See below where the registration stands.")


def _pair(step: str, registration: ClientRegistration) -> tuple[type[forms.Form], Keep]:
    """Form and call of a step. For a system account that was requested, the step takes its id; before that, the
    request."""
    account = registration.system_account
    if step == Key.SYSTEM_ACCOUNT and account is not None and account.status == SystemAccount.Status.REQUESTED:
        return _OF_A_REQUESTED_ACCOUNT
    return FORMS[step]


def _initial(registration: ClientRegistration) -> dict[str, Any]:
    versions = registration_overview.versions(registration)
    added = [version for version in versions if version in registration.versions_added]
    return {
        "developer_email": registration.developer_email,
        "desk_url": registration.desk_url,
        "support_contact": registration.support_contact,
        "application_name": registration.application_name or "Holdfast",
        "application_id": registration.application_id,
        "proof": registration_overview.proof(registration).value,
        "smart_version": registration.smart_version,
        "refresh_scope": registration.refresh_scope,
        "asks_identity": registration.asks_identity,
        "client_id": registration.client_id,
        "client_name": registration.application_name,
        "versions": added or list(versions),
    }
