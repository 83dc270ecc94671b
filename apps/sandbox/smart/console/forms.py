"""The console's forms: registering an application, and changing what is not fixed."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.sandbox.fields import PlainForm, WordsField
from apps.sandbox.models import ClientAuthentication, ClientType, Persona, SmartVersion
from apps.sandbox.registration import VERSIONS
from apps.sandbox.smart.console.registering import CONFIDENTIAL_WAYS, Changeable, Fixed

_QUIET = {"autocomplete": "off"}
_CODE = {**_QUIET, "spellcheck": "false", "autocapitalize": "none"}


class ChangeForm(PlainForm):
    """What can be changed later."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Patients see it when they are asked."),
        max_length=120,
        widget=forms.TextInput(attrs=_QUIET),
    )
    redirect_uris = WordsField(
        label=_("Redirect addresses"), help_text=_("One per line. Compared exactly, including any slash at the end.")
    )
    launch_url = forms.CharField(
        label=_("Launch address"),
        help_text=_("Where a launch from a provider's portal begins."),
        max_length=2_000,
        required=False,
        widget=forms.TextInput(attrs={**_CODE, "inputmode": "url"}),
    )
    scopes = WordsField(
        label=_("Scopes"),
        help_text=_(
            "All it may ever ask for, separated by spaces or line breaks: launch/patient patient/Patient.read …"
        ),
        rows=5,
    )
    support_contact = forms.EmailField(label=_("Support contact"), help_text=_("An e-mail address."), max_length=254)
    authentication = forms.ChoiceField(
        label=_("Client authentication"),
        help_text=_("For a confidential application: how it proves who it is when it asks for tokens."),
        choices=[(way.value, way.label) for way in CONFIDENTIAL_WAYS],
        initial=ClientAuthentication.BASIC,
        required=False,
    )
    guid = forms.UUIDField(
        label=_("GUID"),
        help_text=_("For a confidential application: the id of its system account. It can be entered later."),
        required=False,
        widget=forms.TextInput(attrs=_CODE),
        error_messages={"invalid": _("A GUID has 32 digits in five groups, such as the id of a system account.")},
    )

    def __init__(self, *args: Any, client_type: str = "", **options: Any) -> None:
        """A public application has no credentials, so with that `client_type` the form does not ask for them."""
        super().__init__(*args, **options)
        if client_type == ClientType.PUBLIC:
            del self.fields["authentication"], self.fields["guid"]

    def changeable(self) -> Changeable:
        """The data of a valid form."""
        given: dict[str, Any] = {name: self.cleaned_data.get(name) for name in ChangeForm.base_fields}
        return Changeable(**{**given, "authentication": given["authentication"] or ClientAuthentication.BASIC})


class RegisterForm(ChangeForm):
    """A new application."""

    persona = forms.ChoiceField(
        label=_("Who signs in to use it"), choices=Persona.choices, initial=Persona.PATIENT, widget=forms.RadioSelect
    )
    versions = forms.MultipleChoiceField(
        label=_("FHIR versions"), choices=list(VERSIONS.items()), widget=forms.CheckboxSelectMultiple
    )
    smart_version = forms.ChoiceField(
        label=_("SMART version"), choices=SmartVersion.choices, initial=SmartVersion.V1, widget=forms.RadioSelect
    )
    client_type = forms.ChoiceField(
        label=_("Type"), choices=ClientType.choices, initial=ClientType.PUBLIC, widget=forms.RadioSelect
    )
    field_order = [
        *("name", "persona", "versions", "smart_version", "client_type", "authentication", "guid"),
        *("redirect_uris", "launch_url", "scopes", "support_contact"),
    ]

    def fixed(self) -> Fixed:
        """The data of a valid form that cannot be changed later."""
        return Fixed(
            **{name: self.cleaned_data[name] for name in ("persona", "versions", "smart_version", "client_type")}
        )
