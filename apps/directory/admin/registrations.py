"""Client registrations in the admin: a write-only secret, status moves as actions, the redirect URI to copy."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.directory import registering, switching
from apps.directory.admin.auditing import AuditedAdmin, staff
from apps.directory.models import ClientRegistration, SigningKey
from apps.wire.dialects import FhirVersion
from apps.wire.secret import Secret

Status = ClientRegistration.Status


class ClientRegistrationForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Everything but the status, which only actions move. The secret's field is empty whenever the page is shown."""

    new_secret = forms.CharField(
        label=_("new client secret"),
        required=False,
        strip=True,
        max_length=4000,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text=_("Write-only: it is sealed when you save and never shown. Leave it empty to keep the present one."),
    )
    versions_added = forms.MultipleChoiceField(
        label=_("versions added"),
        choices=[(version.value, version.name) for version in FhirVersion],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those the developer portal lists for the application. Others cannot be linked."),
    )

    class Meta:
        model = ClientRegistration
        fields = (
            "authorization_server", "label", "client_id", "authentication", "signing_key", "versions_added",
            "smart_version", "scope", "refresh_scope", "asks_identity", "prompts_for_consent", "uses_pkce",
            "sends_state", "refresh_window_hours", "minimum_refresh_seconds", "is_switched_on",
        )  # fmt: skip
        help_texts = {
            "client_id": _("As the developer portal gave it."),
            "signing_key": _("For private_key_jwt; its public half must be registered at the developer console."),
            "smart_version": _("As fixed when the application was registered. The patient access API has none."),
            "scope": _(
                "Overrides the scopes we would ask for. Empty sends none to the patient access API, and what the "
                "endpoint offers, for reading, to a SMART deployment."
            ),
            "refresh_scope": _("Empty asks for no refresh token. A patient on their own needs offline_access."),
            "asks_identity": _("Adds openid and fhirUser, and checks the ID token that comes."),
            "prompts_for_consent": _("Sends prompt=consent, which some servers need to give offline_access."),
            "sends_state": _("Unknown leaves it to the dialect: yes for SMART, no for the patient access API."),
            "uses_pkce": _("Only where the authorization server allows it."),
            "refresh_window_hours": _("How long a refresh token lives after its issue."),
        }


@admin.register(ClientRegistration)
class ClientRegistrationAdmin(AuditedAdmin):
    """Our standing at authorization servers, from the request at a developer portal to retirement."""

    subject = "client registration"
    form = ClientRegistrationForm
    list_display = ("label", "status", "is_switched_on", "trouble", "secret_set_at", "is_sandbox")
    list_filter = ("status", "is_switched_on", ("trouble", admin.EmptyFieldListFilter), "is_sandbox")
    list_select_related = ("authorization_server",)
    search_fields = ("label", "client_id")
    autocomplete_fields = ("authorization_server",)
    readonly_fields = (
        "status", "redirect_uri", "launch_url", "secret_set_at", "requested_at", "approved_at", "trouble",
        "trouble_at", "trouble_seen_at", "is_sandbox",
    )  # fmt: skip
    fixed = ("authorization_server",)
    actions = ("approve", "reject", "retire", "switch_on", "switch_off", "clear_trouble")

    @admin.display(description=_("redirect URI to register"))
    def redirect_uri(self, registration: ClientRegistration) -> str:
        """To copy into the developer portal, exactly as it stands."""
        return registering.redirect_uri(registration)

    @admin.display(description=_("launch URL to register"))
    def launch_url(self, registration: ClientRegistration) -> str:
        """The same, for starting us from a provider's own portal."""
        return registering.launch_url(registration)

    def formfield_for_foreignkey(
        self, db_field: "models.ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Nothing is signed with a key that was retired."""
        if db_field.name == "signing_key":
            kwargs["queryset"] = SigningKey.objects.filter(retired_at__isnull=True).order_by("-created_at")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """The row, then the secret where one was given: sealed, and moving a request on to provisional."""
        assert isinstance(obj, ClientRegistration)  # noqa: S101 - this admin's model
        if not change:
            obj.requested_at = timezone.now()
            obj.is_sandbox = obj.authorization_server.is_sandbox
        super().save_model(request, obj, form, change)
        secret = form.cleaned_data.get("new_secret")
        if secret:
            registering.store_credentials(
                obj, client_id=obj.client_id, secret=Secret(secret), actor=staff(request), at=timezone.now()
            )

    @admin.action(description=_("Approve: the developer portal approved the application"))
    def approve(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Move to approved."""
        self._move(request, rows, Status.APPROVED)

    @admin.action(description=_("Reject: the developer portal refused the application"))
    def reject(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Move to rejected."""
        self._move(request, rows, Status.REJECTED)

    @admin.action(description=_("Retire: we no longer use it"))
    def retire(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Move to retired."""
        self._move(request, rows, Status.RETIRED)

    @admin.action(description=_("Switch on"))
    def switch_on(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Let linking and refreshing go on."""
        for row in rows:
            switching.switch_registration(row, is_on=True, actor=staff(request), at=timezone.now())

    @admin.action(description=_("Switch off: stop linking, refreshing and copying at once"))
    def switch_off(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Stop everything."""
        for row in rows:
            switching.switch_registration(row, is_on=False, actor=staff(request), at=timezone.now())

    @admin.action(description=_("Trouble is mended: let patients link again"))
    def clear_trouble(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Forget what their server answered."""
        for row in rows:
            registering.clear_trouble(row, actor=staff(request), at=timezone.now())

    def _move(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration], status: Status) -> None:
        refused = 0
        for row in rows:
            try:
                registering.move(row, status, actor=staff(request), at=timezone.now())
            except registering.StatusNotAllowed:
                refused += 1
        if refused:
            sentence = ngettext(
                "%(count)d registration cannot move there from its status.",
                "%(count)d registrations cannot move there from their status.",
                refused,
            )
            self.message_user(request, sentence % {"count": refused}, messages.ERROR)
