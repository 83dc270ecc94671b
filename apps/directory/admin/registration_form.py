"""The form of a client registration: everything but its status, with a sentence for each field that explains it."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory import key_outlook, overriding, reaching
from apps.directory.models import ClientRegistration
from apps.directory.models.client_registration import AUTHENTICATIONS
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import Dialect, FhirVersion, Placement

# The header form of a signed assertion is for system access alone (specification 4.2 S6).
_METHODS = [(value, name) for value, name in AUTHENTICATIONS if value != Authentication.BEARER_JWT.value]
_YES_OR_NO = {True: _("yes"), False: _("no")}
_PLACES = {Placement.QUERY: _("in the address"), Placement.BODY: _("in the body")}

# What each override does, in plain words; `_usual` adds the usual value.
_OVERRIDES: dict[str, str | Promise] = {
    "token_parameters": _("Whether client id, code and token travel in the address or in the body of token requests."),
    "sends_state": _("Whether the state is sent once more when a code is exchanged."),
    "sends_aud": _("Whether the FHIR base URL is named, as aud, when a patient leaves to sign in."),
    "accept": _("The media type data requests ask for, such as application/fhir+json."),
    "refresh_window_hours": _(
        "How many hours a refresh token can be used after it was issued. Patients are asked to sign in again in time."
    ),
    "idle_limit_days": _(
        "After how many days without use their server drops a refresh token. While something is switched off, "
        "patients are told once this time has passed."
    ),
    "minimum_refresh_seconds": _("The least number of seconds between two refreshes of one connection."),
    "assumed_lifetime_seconds": _("How many seconds an access token is used if their server does not say."),
    "requests_per_minute": _("How many data requests a minute one connection may make; then its copy pauses."),
    "parallel_requests": _("How many data requests of one connection may wait for an answer at the same time."),
    "runs_at_once": _("How many connections are copied from there at the same time, by all workers together."),
    "revokes_replaced": _(
        "Whether, after a new sign-in, the previous refresh token is revoked there. Only where that leaves the new "
        "one alone: some servers end everything that a patient allowed us."
    ),
}


class ClientRegistrationForm(ChangedFieldsForm):
    """Only actions change the status. The secret's field is always empty when the page is shown."""

    new_secret = forms.CharField(
        label=_("New client secret"),
        required=False,
        strip=True,
        max_length=4000,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text=_("Write-only: it is sealed when you save and never shown. Leave it empty to keep the present one."),
    )
    authentication = forms.ChoiceField(label=_("How the client proves itself"), choices=_METHODS)
    versions_added = forms.MultipleChoiceField(
        label=_("Versions added"),
        choices=[(version.value, version.name) for version in FhirVersion],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those the developer portal lists for the application. Others cannot be linked."),
    )

    class Meta:
        model = ClientRegistration
        fields = ()  # the admin lists them
        help_texts = {
            "desk_url": _("The address where you sign in to manage the application."),
            "developer_email": _("The e-mail address it was opened with."),
            "support_contact": _("An address, a number or a name: whom to ask when something is wrong there."),
            "application_name": _("As patients see it there."),
            "application_id": _("The id under which the portal or console lists the application, if it has one."),
            "client_id": _("As the developer portal gave it."),
            "secret_rotation_due_date": _(
                "When the secret should be replaced at the provider. Storing a new secret sets this to a year from "
                "then."
            ),
            "system_account": _(
                "A confidential SMART application is approved under a system account: that account's id goes into "
                "the console's GUID field."
            ),
            "system_authentication": _(
                "Empty: signed, in a header, where the client proves itself with a key; otherwise by Basic."
            ),
            "signing_key": _("For private_key_jwt; the provider must know its public half."),
            "smart_version": _("As fixed when the application was registered. The patient access API has none."),
            "scope": _(
                "Overrides the scopes we would ask for. Empty sends none to the patient access API, and to a SMART "
                "deployment the scopes for reading what the endpoint offers."
            ),
            "refresh_scope": _("Empty asks for no refresh token. A patient on their own needs offline_access."),
            "asks_identity": _("Adds openid and fhirUser, and checks the ID token that comes."),
            "prompts_for_consent": _("Sends prompt=consent, which some servers need to give offline_access."),
            "uses_pkce": _("Only where the authorization server allows it."),
            "is_switched_on": _(
                "Off stops linking, refreshing and copying at once. Patients are told so, and keep what they have; "
                "once it is switched on again, everything resumes where it stopped. The actions of the list switch "
                "it on and off."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        instance: ClientRegistration | None = kwargs.get("instance")
        usual = reaching.usual_dialect(instance.authorization_server) if instance is not None else None
        for column, sentence in _OVERRIDES.items():
            if column in self.fields:
                self.fields[column].help_text = f"{sentence} {_usual(column, usual)}"
        for field in self.fields.values():
            if isinstance(field.widget, forms.NullBooleanSelect):
                field.widget.choices = [("unknown", _("as usual")), ("true", _("yes")), ("false", _("no"))]

    def clean(self) -> dict[str, Any]:
        """Refuse values that exclude each other, with a message."""
        cleaned = super().clean()
        if not self.errors:
            written = ClientRegistration(
                authentication=cleaned["authentication"], token_parameters=cleaned["token_parameters"]
            )
            try:
                overriding.check(written)
            except ValidationError as refusal:
                self.add_error("token_parameters", refusal)
            self._refuse_early_key(cleaned)
            self._refuse_offline_access(cleaned)
        return cleaned

    def _refuse_offline_access(self, cleaned: dict[str, Any]) -> None:
        """Public applications get online access at most (specification 5.2.7)."""
        is_public = cleaned["authentication"] == Authentication.NONE
        if is_public and cleaned.get("refresh_scope") == ClientRegistration.RefreshScope.OFFLINE:
            self.add_error("refresh_scope", _("A public application gets online_access at most. Choose another."))

    def _refuse_early_key(self, cleaned: dict[str, Any]) -> None:
        """A provider that reads our key set may hold a copy from before the key was made."""
        key = cleaned.get("signing_key")
        is_chosen = "signing_key" in self.changed_data and cleaned.get("key_set_is_fetched")
        if key is not None and is_chosen and timezone.now() < key.signs_from_at:
            sentence = _("A provider that fetches our key set may not know this key before %(moment)s.")
            self.add_error("signing_key", sentence % {"moment": key_outlook.moment(key.signs_from_at)})


def _usual(column: str, usual: Dialect | None) -> str | Promise:
    """What applies if the field is empty."""
    if usual is None:
        return _("Empty: as usual for this kind of server.")
    value = getattr(usual, reaching.OVERRIDES[column])
    if value is None:
        return _("Empty: no limit is known for this kind of server.")
    if isinstance(value, bool):
        return _("For this kind of server it is usually %(usual)s.") % {"usual": _YES_OR_NO[value]}
    if isinstance(value, Placement):
        told: object = _PLACES[value]
    elif column == "accept":
        told = ", ".join(dict.fromkeys(value.values()))
    else:
        told = value
    return _("Empty: as usual for this kind of server, which is %(usual)s.") % {"usual": told}
