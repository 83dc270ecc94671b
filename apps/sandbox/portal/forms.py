"""The portal's forms."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.sandbox.fields import PlainForm, WordsField

_ADDRESSES = _("One per line, absolute, without query parameters. Compared character by character.")


class AddressesForm(PlainForm):
    """Redirect URIs."""

    redirect_uris = WordsField(label=_("Redirect addresses"), help_text=_ADDRESSES)


class ApplicationForm(AddressesForm):
    """A request to add an application."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Patients see it when they are asked."),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ["name", "redirect_uris"]
