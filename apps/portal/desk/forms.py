"""The forms of the desk: one for each step, and one for URLs. They validate the input; `directory.desk.form_entries`
stores it. A secret is never shown again: its field is always empty when a page is shown."""

import unicodedata
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration, SigningKey, SystemAccount
from apps.directory.registration_overview import Proof

SECRET = forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"})
EXACT = forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"})

_LATEST_ROTATION = timedelta(days=3653)  # ten years

printable_id = RegexValidator(
    r"\A[\x21-\x7e]+\Z",
    _(
        "A client id is made of letters, digits and symbols, without spaces. Copy it again: something else was "
        "copied with it."
    ),
)


def visible_alone(value: str) -> None:
    """Refuse invisible characters in a secret: the provider would refuse it, and nobody would find out why."""
    if any(unicodedata.category(character)[0] == "C" or character in "\u2028\u2029" for character in value):
        raise ValidationError(_("Something invisible was copied with the secret. Copy it again, or type it."))


Choices = Sequence[tuple[str, str | Promise]]


class AccountForm(forms.Form):
    """The developer account."""

    developer_email = forms.EmailField(
        label=_("E-mail address of the account"),
        help_text=_("Use one that several of you read, so that nobody who leaves takes the account with them."),
        error_messages={"required": _("Enter the e-mail address of the account.")},
    )
    desk_url = forms.URLField(
        label=_("Address where you sign in there"), required=False, assume_scheme="https", max_length=1000
    )
    support_contact = forms.CharField(
        label=_("Whom to ask there"),
        help_text=_("An address or a number, for when something does not work."),
        required=False,
        max_length=300,
    )


class ApplicationForm(forms.Form):
    """The application, requested at a developer portal."""

    application_name = forms.CharField(
        label=_("Name of the application there"),
        max_length=120,
        error_messages={"required": _("Enter the name under which you requested it.")},
    )
    application_id = forms.CharField(
        label=_("Number or id of the request"), required=False, max_length=200, widget=EXACT
    )


class ChoicesForm(forms.Form):
    """What is fixed when an application is registered at a developer console."""

    application_name = forms.CharField(
        label=_("Name of the application there"),
        help_text=_("Patients see it when they are asked to allow the application."),
        max_length=120,
        error_messages={"required": _("Enter the name of the application.")},
    )
    proof = forms.ChoiceField(
        label=_("How it proves itself"),
        help_text=_("There, the first is called public, the others confidential. A key is the safest."),
        choices=Proof.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose how it proves itself.")},
    )
    versions = forms.MultipleChoiceField(
        label=_("FHIR versions"),
        help_text=_(
            "Cannot be changed there later. Many consoles take only one version for each application: then register "
            "another application for the other version."
        ),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one FHIR version.")},
    )
    smart_version = forms.ChoiceField(
        label=_("SMART version"),
        help_text=_("How scopes are written. Cannot be changed there later; newer servers have v2."),
        choices=ClientRegistration.SmartVersion.choices,
        widget=forms.RadioSelect,
    )
    refresh_scope = forms.ChoiceField(
        label=_("How long a permission lasts"),
        help_text=_("Patients on their own need offline_access. A public application may get online_access alone."),
        choices=[*ClientRegistration.RefreshScope.choices, ("", _("a few minutes: no refresh token"))],
        required=False,
        widget=forms.RadioSelect,
    )
    asks_identity = forms.BooleanField(label=_("Ask who signed in (openid, fhirUser)"), required=False)

    def __init__(self, *args: Any, fhir_versions: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.MultipleChoiceField", self.fields["versions"]).choices = list(fhir_versions)

    def clean(self) -> dict[str, Any]:
        """Public applications get online access at most (specification 5.2.7)."""
        cleaned = super().clean() or self.cleaned_data
        wants = cleaned.get("refresh_scope")
        if cleaned.get("proof") == Proof.NONE and wants == ClientRegistration.RefreshScope.OFFLINE:
            self.add_error("refresh_scope", _("A public application gets online_access at most. Choose another."))
        return cleaned


class SystemAccountForm(forms.Form):
    """The request for a system account, with the fields of their form (specification 5.2.7)."""

    description = forms.CharField(
        label=_("Description"),
        help_text=_("What the application is for, in a sentence, as you wrote it there."),
        max_length=300,
        error_messages={"required": _("Enter the description.")},
    )
    client_name = forms.CharField(
        label=_("Client Name"), max_length=200, error_messages={"required": _("Enter the client name.")}
    )
    client_number = forms.CharField(label=_("Client Number, if they gave one"), required=False, max_length=60)
    client_mnemonic = forms.CharField(label=_("Client Mnemonic, if they gave one"), required=False, max_length=60)
    is_production = forms.BooleanField(
        label=_("Production System"), help_text=_("Leave it out while you are only trying things out."), required=False
    )


class AccountIdForm(forms.Form):
    """The id of a system account that they approved."""

    account_id = forms.CharField(
        label=_("Id of the system account"),
        help_text=_("As they show it once they have approved the account. It is what their console calls GUID."),
        max_length=100,
        widget=EXACT,
        error_messages={"required": _("Enter the id of the system account.")},
    )


class UseAccountForm(forms.Form):
    """A system account that we have already."""

    account = forms.ModelChoiceField(
        label=_("A system account we have"),
        queryset=SystemAccount.objects.none(),
        empty_label=None,
        error_messages={
            "required": _("Choose one of the accounts."),
            "invalid_choice": _("Choose one of the accounts."),
        },
    )

    def __init__(self, *args: Any, accounts: "QuerySet[SystemAccount]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ModelChoiceField[SystemAccount]", self.fields["account"]).queryset = accounts


class HandOverForm(forms.Form):
    """The key that was shown when staff said that the provider has it: that key is used, even if a newer one exists by
    now."""

    key = forms.ModelChoiceField(queryset=SigningKey.objects.all(), widget=forms.HiddenInput)


class ClientIdForm(forms.Form):
    """The client id alone."""

    client_id = forms.CharField(
        label=_("Client id"),
        help_text=_("As the console shows it once you have registered the application."),
        max_length=500,
        widget=EXACT,
        validators=[printable_id],
        error_messages={"required": _("Enter the client id.")},
    )


class CredentialsForm(ClientIdForm):
    """Client id and secret. The secret may be left out if one is stored already."""

    secret = forms.CharField(
        label=_("Client secret"),
        help_text=_("It is sealed when you save, and nobody can read it here again."),
        required=False,
        max_length=4000,
        widget=SECRET,
        validators=[visible_alone],
    )
    rotation_due_date = forms.DateField(
        label=_("Replace it by"),
        help_text=_("If left empty: in a year."),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def __init__(self, *args: Any, has_secret: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_secret = has_secret
        self.fields["client_id"].help_text = _("As they gave it.")
        if has_secret:
            self.fields["secret"].help_text = _("One is already stored. Leave this empty to keep it.")

    def clean_rotation_due_date(self) -> date | None:
        """Not in the past, and not so late that nobody here will remember."""
        by: date | None = self.cleaned_data["rotation_due_date"]
        today = timezone.localdate()
        if by is not None and not today <= by <= today + _LATEST_ROTATION:
            raise forms.ValidationError(_("Choose a day from today on, within ten years."))
        return by

    def clean_secret(self) -> str:
        """Required unless a secret is stored already."""
        secret: str = self.cleaned_data["secret"]
        if not secret and not self._has_secret:
            raise forms.ValidationError(_("Enter the client secret."))
        return secret


class VersionsForm(forms.Form):
    """Which FHIR versions were added to the application."""

    versions = forms.MultipleChoiceField(
        label=_("Versions their portal lists for the application"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one version.")},
    )

    def __init__(self, *args: Any, fhir_versions: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.MultipleChoiceField", self.fields["versions"]).choices = list(fhir_versions)


class AddressesForm(forms.Form):
    """Where patients sign in, for the patient access API: each FHIR version has its own addresses."""

    authorize_url = forms.URLField(
        label=_("Address of the sign-in page"),
        help_text=_("It often ends in /authorize."),
        assume_scheme="https",
        max_length=1000,
        error_messages={"required": _("Enter the address of the sign-in page.")},
    )
    token_url = forms.URLField(
        label=_("Address for tokens"),
        help_text=_("It often ends in /token."),
        assume_scheme="https",
        max_length=1000,
        error_messages={"required": _("Enter the address for tokens.")},
    )
    revocation_url = forms.URLField(
        label=_("Address where permissions are ended"),
        help_text=_("If they have one."),
        required=False,
        assume_scheme="https",
        max_length=1000,
    )
