"""Providers, endpoints, authorization servers and approved origins in the admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.directory import linkability, pairing
from apps.directory.admin.auditing import AuditedAdmin
from apps.directory.models import ApprovedOrigin, AuthorizationServer, Endpoint, Provider
from apps.wire.dialects import DIALECTS


@admin.register(Provider)
class ProviderAdmin(AuditedAdmin):
    """Whom patients recognize. Imported rows are overwritten by the next import."""

    subject = "provider"
    list_display = ("name", "kind", "city", "state", "is_sandbox", "vanished_at")
    list_filter = ("kind", "is_sandbox", ("vanished_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "city", "website")
    readonly_fields = ("imported_at", "vanished_at")


class EndpointForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Refuses what may not be paired, in words."""

    dialect = forms.ChoiceField(choices=[(name, name) for name in DIALECTS])

    class Meta:
        model = Endpoint
        fields = ()  # the admin below lists them
        help_texts = {
            "fhir_base_url": _("The address its requests start with; every address follows the rules of the guard."),
            "authorization_server": _("Of the same FHIR version and no other. Without one, nobody can link here."),
            "is_switched_on": _("Off stops new links. Existing ones go on: switch the registration off to stop those."),
        }

    def clean(self) -> dict[str, Any] | None:
        """Ask what import asks."""
        cleaned = super().clean()
        if not self.errors and cleaned is not None:
            for column, value in cleaned.items():
                if column != "providers":
                    setattr(self.instance, column, value)
            pairing.check_endpoint(self.instance)
            if any(provider.is_sandbox != cleaned["is_sandbox"] for provider in cleaned["providers"]):
                raise ValidationError(_("Sandbox and production cannot be mixed: endpoint and providers differ."))
        return cleaned


@admin.register(Endpoint)
class EndpointAdmin(AuditedAdmin):
    """Where records are, and why patients cannot link there."""

    subject = "endpoint"
    form = EndpointForm
    list_display = ("fhir_base_url", "fhir_version", "interface", "is_sandbox", "is_switched_on", "linking")
    list_filter = ("fhir_version", "interface", "is_sandbox", "is_switched_on")
    list_select_related = ("authorization_server",)
    search_fields = ("fhir_base_url", "tenant", "providers__name")
    autocomplete_fields = ("providers", "authorization_server")
    fields = (
        "fhir_base_url", "fhir_version", "interface", "dialect", "tenant", "authorization_server", "providers",
        "is_sandbox", "is_switched_on", "linking", "imported_at", "vanished_at",
    )  # fmt: skip
    readonly_fields = ("linking", "imported_at", "vanished_at")
    fixed = ("fhir_base_url",)

    @admin.display(description=_("linking"))
    def linking(self, endpoint: Endpoint) -> str:
        """On, or the reason why it is off."""
        obstacle = linkability.obstacle(endpoint, at=timezone.now())
        return str(obstacle.label) if obstacle else str(_("on"))


class AuthorizationServerForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Addresses of the guard's liking."""

    class Meta:
        model = AuthorizationServer
        fields = ()  # the admin below lists them

    def clean(self) -> dict[str, Any] | None:
        """Refuse an address we would not connect to."""
        cleaned = super().clean()
        if not self.errors and cleaned is not None:
            for column, value in cleaned.items():
                setattr(self.instance, column, value)
            pairing.check_server(self.instance)
        return cleaned


@admin.register(AuthorizationServer)
class AuthorizationServerAdmin(AuditedAdmin):
    """Who issues tokens."""

    subject = "authorization server"
    form = AuthorizationServerForm
    list_display = ("authorize_url", "source", "is_sandbox", "found_at")
    list_filter = ("source", "is_sandbox")
    search_fields = ("authorize_url", "token_url")
    fields = (
        "source", "authorize_url", "token_url", "revocation_url", "issuer", "is_sandbox", "found_at",
    )  # fmt: skip
    readonly_fields = ("found_at",)
    fixed = ("authorize_url", "token_url")


class ApprovedOriginForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """In the one spelling the guard compares."""

    class Meta:
        model = ApprovedOrigin
        fields = ("origin", "reason")

    def clean_origin(self) -> str:
        """Refuse what would never match."""
        origin: str = self.cleaned_data["origin"]
        pairing.check_origin(origin)
        return origin


@admin.register(ApprovedOrigin)
class ApprovedOriginAdmin(AuditedAdmin):
    """Ports other than 443, each approved for a reason."""

    subject = "approved origin"
    form = ApprovedOriginForm
    list_display = ("origin", "reason", "approved_at")
