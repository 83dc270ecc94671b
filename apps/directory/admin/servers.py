"""Authorization servers in the admin: fixed addresses, the server's metadata, and the issuers that ID tokens may
name."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory import consistency, registering
from apps.directory.admin.auditing import AuditedAdmin
from apps.directory.admin.list_filters import IsOfSandbox, Question
from apps.directory.models import AuthorizationServer, ClientRegistration


class Lines(forms.CharField):
    """A list of texts, one per line; empty lines are ignored."""

    def prepare_value(self, value: Any) -> Any:
        """The list as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """The lines as a list."""
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compared as lists, however the page showed the lines."""
        before = self.clean(initial) if isinstance(initial, str) else list(initial or [])
        return self.clean(data) != before


class AuthorizationServerForm(ChangedFieldsForm):
    """Accepts only addresses that the URL guard accepts."""

    id_token_issuers = Lines(
        label=capfirst(_("issuers its ID tokens may name")),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 80}),
        help_text=_(
            "One per line, exactly as the provider states it, including any slash at the end. The issuer that the "
            "server declares is found by discovery; others are never derived from it: they are here because staff "
            "know them."
        ),
    )

    class Meta:
        model = AuthorizationServer
        fields = ()  # the admin below lists them

    def clean(self) -> dict[str, Any]:
        """Refuse an address that we would not connect to."""
        cleaned = super().clean()
        if not self.errors:
            for column, value in cleaned.items():
                setattr(self.instance, column, value)
            consistency.check_server(self.instance)
            consistency.check_issuers(cleaned.get("id_token_issuers", []))
        return cleaned


_DISCOVERED = (
    "introspection_url", "management_url", "jwks_url", "declared_capabilities", "declared_pkce_methods",
)  # fmt: skip


class HasRegistration(Question):
    """Whether there is a standing registration."""

    title = _("Do we have a registration there?")
    parameter_name = "registered"

    def narrow(self, rows: "models.QuerySet[Any]", answer: str) -> "models.QuerySet[Any]":
        """Rejected and retired ones do not count."""
        standing = ClientRegistration.objects.exclude(status__in=registering.OVER)
        with_one = models.Q(pk__in=standing.values("authorization_server"))
        return rows.filter(with_one if answer == "yes" else ~with_one)


@admin.register(AuthorizationServer)
class AuthorizationServerAdmin(AuditedAdmin):
    """Who issues tokens. What discovery found cannot be edited."""

    subject = "authorization server"
    ordering = ("-pk",)  # as the admin has it of lists; what is chosen by typing has pages, too
    form = AuthorizationServerForm
    list_display = ("authorize_url", "source", "is_sandbox", "found_at", "checked_at")
    list_filter = (HasRegistration, "source", IsOfSandbox)
    search_fields = ("authorize_url", "token_url", "issuer", "registrations__label", "endpoints__fhir_base_url")
    search_help_text = _("Host or address, issuer, registration, or FHIR base URL of an endpoint.")
    fieldsets = (
        (_("Where it is"), {"fields": ("source", "authorize_url", "token_url", "revocation_url", "is_sandbox")}),
        (_("Who stands for it"), {"fields": ("issuer", "id_token_issuers", "names_issuer")}),
        (_("What it says about itself"), {"fields": _DISCOVERED}),
        (_("What is ours there"), {"fields": ("registration", "endpoint_count")}),
        (_("What happened"), {"fields": ("found_at", "checked_at", "what_disagrees")}),
    )
    readonly_fields = (
        "names_issuer", *_DISCOVERED, "registration", "endpoint_count", "what_disagrees", "found_at", "checked_at",
    )  # fmt: skip
    fixed = ("authorize_url", "token_url")

    @admin.display(description=_("our client registration"))
    def registration(self, server: AuthorizationServer) -> str:
        """The standing one, and its status."""
        found = registering.standing(server)
        return f"{found.label}: {found.get_status_display()}" if found else str(_("We have none."))

    @admin.display(description=_("endpoints of it"))
    def endpoint_count(self, server: AuthorizationServer) -> int:
        """How many, on the page of one server alone."""
        return server.endpoints.count()

    @admin.display(description=_("capabilities it declares"))
    def declared_capabilities(self, server: AuthorizationServer) -> str:
        """As discovery found them."""
        return ", ".join(server.capabilities) or "-"

    @admin.display(description=_("PKCE methods it declares"))
    def declared_pkce_methods(self, server: AuthorizationServer) -> str:
        """As discovery found them. Naming none differs from having none."""
        if server.pkce_methods is None:
            return str(_("it does not say"))
        return ", ".join(server.pkce_methods) or str(_("none"))

    @admin.display(description=_("disagreements found"))
    def what_disagrees(self, server: AuthorizationServer) -> str:
        """At the endpoints whose patients sign in here."""
        return "; ".join(server.disagreements) or "-"
