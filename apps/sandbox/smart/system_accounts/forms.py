"""The forms of the system-accounts application; the fields of the first are those of specification 5.2.7, by name."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.sandbox.fields import PlainForm, YesNoField
from apps.sandbox.models import SystemAccountKind

_QUIET = {"autocomplete": "off"}


class AccountForm(PlainForm):
    """A request for a system account."""

    description = forms.CharField(
        label=_("Description"),
        help_text=_("What the account is for."),
        max_length=400,
        widget=forms.Textarea(attrs={"rows": 2, "cols": None}),
    )
    is_production_system = YesNoField(
        label=_("Production System"), help_text=_("No, unless it is used to read real patients' records.")
    )
    is_vendor_client = YesNoField(
        label=_("Cerner client"),
        help_text=_("No, unless the application belongs to the vendor of this record service."),
    )
    client_name = forms.CharField(
        label=_("Client Name"),
        help_text=_("The organization responsible for the application."),
        max_length=120,
        widget=forms.TextInput(attrs=_QUIET),
    )
    client_number = forms.CharField(
        label=_("Client Number"), max_length=40, required=False, widget=forms.TextInput(attrs=_QUIET)
    )
    client_mnemonic = forms.CharField(
        label=_("Client Mnemonic"), max_length=40, required=False, widget=forms.TextInput(attrs=_QUIET)
    )
    is_millennium_system = YesNoField(
        label=_("Millennium System"), help_text=_("No, unless the account is for one of the vendor's record systems.")
    )
    kind = forms.ChoiceField(
        label=_("Type"),
        help_text=_("How it will prove who it is. This cannot be changed later."),
        choices=SystemAccountKind.choices,
        initial=SystemAccountKind.SECRET,
        widget=forms.RadioSelect,
    )


class KeysForm(PlainForm):
    """Public keys: the set itself, or the address that publishes it."""

    jwks_url = forms.CharField(
        label=_("Key set address"),
        help_text=_("An address of this machine. It is asked again once its answer is too old, or lacks a key."),
        max_length=2_000,
        required=False,
        widget=forms.TextInput(attrs={**_QUIET, "inputmode": "url", "spellcheck": "false"}),
    )
    jwks = forms.CharField(
        label=_("Or the key set itself"),
        help_text=_('JSON such as {"keys": […]}, public halves only. After a rotation it has to be entered again.'),
        max_length=100_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "cols": None, "spellcheck": "false", "autocapitalize": "none"}),
    )
