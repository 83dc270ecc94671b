"""Providers, endpoints and approved origins in the admin."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.directory import discovering, linkability, pairing, switching
from apps.directory.admin.auditing import AuditedAdmin, SwitchedAdmin, staff
from apps.directory.admin.questions import IsSwitchedOff
from apps.directory.models import ApprovedOrigin, Endpoint, Provider, ProviderPortal
from apps.wire.dialects import DIALECTS
from apps.wire.errors import WireError

MOST_DISCOVERED = 10  # each may take as long as two requests may


@admin.register(Provider)
class ProviderAdmin(AuditedAdmin):
    """Whom patients recognize. Imported rows are overwritten by the next import."""

    subject = "provider"
    list_display = ("name", "kind", "city", "state", "is_sandbox", "vanished_at")
    list_filter = ("kind", "is_sandbox", ("vanished_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "city", "website")
    readonly_fields = ("imported_at", "vanished_at")


class HasDisagreements(admin.SimpleListFilter):
    """What staff should look at."""

    title = _("documents disagree")
    parameter_name = "disagrees"

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """Only the one answer anybody asks for."""
        return [("yes", _("yes"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those with anything written down."""
        return queryset.exclude(disagreements=[]) if self.value() == "yes" else queryset


class EndpointForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Refuses what may not be paired, in words."""

    dialect = forms.ChoiceField(choices=[(name, name) for name in DIALECTS])

    class Meta:
        model = Endpoint
        fields = ()  # the admin below lists them
        help_texts = {
            "fhir_base_url": _("The address its requests start with; every address follows the rules of the guard."),
            "authorization_server": _(
                "Of the same FHIR version and no other. Without one, nobody can link here. For a SMART deployment it "
                "is discovered: empty it, and the next discovery takes whatever addresses the deployment names."
            ),
            "is_switched_on": _("Off stops linking, refreshing and copying at once. Patients read so, and keep all."),
        }

    def clean(self) -> dict[str, Any] | None:
        """Ask what import asks."""
        cleaned = super().clean()
        if not self.errors and cleaned is not None:
            for column, value in cleaned.items():
                setattr(self.instance, column, value)
            pairing.check_endpoint(self.instance)
        return cleaned


class ProviderPortalFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]  # generic in the stubs alone
    """Refuses what may not be joined, in words."""

    def clean(self) -> None:
        """Practice providers have practice endpoints, and real ones real ones."""
        super().clean()
        kept = [form for form in self.forms if form not in self.deleted_forms]
        chosen = [form.cleaned_data.get("provider") for form in kept]
        if any(provider.is_sandbox != self.instance.is_sandbox for provider in chosen if provider):
            raise ValidationError(_("Sandbox and production cannot be mixed: endpoint and providers differ."))


class ProviderPortalInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """Whose patients come here, and the name of the sign-in they know."""

    model = ProviderPortal
    formset = ProviderPortalFormSet
    autocomplete_fields = ("provider",)
    formfield_overrides = AuditedAdmin.formfield_overrides
    extra = 1


@admin.register(Endpoint)
class EndpointAdmin(SwitchedAdmin):
    """Where records are, and why patients cannot link there."""

    subject = "endpoint"
    form = EndpointForm
    list_display = (
        "fhir_base_url", "fhir_version", "interface", "is_sandbox", "is_switched_on", "discovered_at", "linking",
    )  # fmt: skip
    list_filter = (
        "fhir_version", "interface", "is_sandbox", IsSwitchedOff,
        ("discovery_fault", admin.EmptyFieldListFilter), HasDisagreements,
    )  # fmt: skip
    list_select_related = ("authorization_server",)
    search_fields = ("fhir_base_url", "tenant", "providers__name")
    autocomplete_fields = ("authorization_server",)
    inlines = (ProviderPortalInline,)
    fields = (
        "fhir_base_url", "fhir_version", "interface", "dialect", "tenant", "authorization_server",
        "is_sandbox", "is_switched_on", "switched_off_at", "linking", "discovered_at", "discovery_tried_at",
        "discovery_fault", "what_disagrees", "imported_at", "vanished_at",
    )  # fmt: skip
    readonly_fields = (
        "switched_off_at", "linking", "discovered_at", "discovery_tried_at", "discovery_fault", "what_disagrees",
        "imported_at", "vanished_at",
    )  # fmt: skip
    fixed = ("fhir_base_url",)
    actions = ("discover_again", *SwitchedAdmin.actions)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Endpoint]:
        """With everything that says whether it can be linked: a page asks once, not once for each row."""
        rows: QuerySet[Endpoint] = super().get_queryset(request)
        return rows.prefetch_related(
            "authorization_server__registrations", "enablements__registration__authorization_server"
        )

    def turn(self, request: HttpRequest, obj: Endpoint, *, is_on: bool) -> None:
        """Of one endpoint."""
        switching.switch_endpoint(obj, is_on=is_on, actor=staff(request), at=timezone.now())

    @admin.display(description=_("linking"))
    def linking(self, endpoint: Endpoint) -> str:
        """On, or the reason why it is off."""
        obstacle = linkability.obstacle(endpoint, at=timezone.now())
        return str(obstacle.label) if obstacle else str(_("on"))

    @admin.display(description=_("disagreements found"))
    def what_disagrees(self, endpoint: Endpoint) -> str:
        """Between its documents, and with what was known."""
        return "; ".join(endpoint.disagreements) or "-"

    @admin.action(description=_("Discover again: ask the deployment for its addresses"))
    def discover_again(self, request: HttpRequest, rows: QuerySet[Endpoint]) -> None:
        """Ask a few, now, and say what came of it."""
        if rows.count() > MOST_DISCOVERED:
            sentence = _("At most %(count)d at once: for more there is the command discover_endpoints.")
            self.message_user(request, sentence % {"count": MOST_DISCOVERED}, messages.ERROR)
            return
        for endpoint in rows:
            try:
                server = discovering.discover(endpoint, at=timezone.now(), actor=staff(request))
                sentence, level = _("Discovered: people of %(endpoint)s sign in at %(found)s"), messages.SUCCESS
                found = server.authorize_url
            except WireError as error:
                sentence, level = _("Not discovered: %(endpoint)s: %(found)s"), messages.ERROR
                found = f"{error} ({error.code.value})"
            self.message_user(request, sentence % {"endpoint": endpoint.fhir_base_url, "found": found}, level)


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
