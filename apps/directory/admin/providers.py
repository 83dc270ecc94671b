"""Providers in the admin: whom patients recognize, through which endpoints they connect, and how attempts ended
lately."""

from django import forms
from django.contrib import admin
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory.admin import endpoint_pages
from apps.directory.admin.auditing import AuditedAdmin
from apps.directory.admin.beside_imports import SavesAfterImports
from apps.directory.admin.endpoint_list_filters import CanAnyBeLinked, IsOnItsList
from apps.directory.admin.list_filters import IsOfSandbox
from apps.directory.admin.servers import Lines
from apps.directory.models import Provider

MOST_SHOWN = 20


class ProviderForm(ChangedFieldsForm):
    """Other names one per line, because some contain commas."""

    aliases = Lines(
        label=capfirst(_("other names")), required=False, widget=forms.Textarea(attrs={"rows": 3, "cols": 60})
    )

    class Meta:
        model = Provider
        fields = ()  # the admin below lists them


@admin.register(Provider)
class ProviderAdmin(SavesAfterImports, AuditedAdmin):
    """Whom patients recognize. Imported rows are overwritten by the next import."""

    subject = "provider"
    form = ProviderForm
    list_display = ("name", "kind", "city", "state", "is_sandbox", "vanished_at")
    list_filter = (CanAnyBeLinked, IsOnItsList, "kind", IsOfSandbox)
    search_fields = ("name", "city", "website", "endpoints__fhir_base_url")
    search_help_text = _("Name, city, website, or FHIR base URL of an endpoint.")
    ordering = ("name", "pk")
    list_per_page = 50
    autocomplete_fields = ("part_of",)
    fieldsets = (
        (_("What patients recognize"), {"fields": ("name", "aliases", "kind", "part_of", "is_sandbox")}),
        (_("Where it is"), {"fields": ("city", "state", "postal_code", "website")}),
        (_("How its patients connect"), {"fields": ("ways", "how_others_fared")}),
        (_("Where it comes from"), {"fields": ("directory", "directory_id", "imported_at", "vanished_at")}),
    )
    readonly_fields = ("ways", "how_others_fared", "imported_at", "vanished_at")

    @admin.display(description=_("its endpoints"))
    def ways(self, provider: Provider) -> SafeString | str:
        """Each with whether patients can link it."""
        at = timezone.now()
        rows = provider.endpoints.order_by("fhir_base_url")[:MOST_SHOWN]
        return endpoint_pages.linked((row, endpoint_pages.linking(row, provider, at=at)) for row in rows)

    @admin.display(description=_("attempts to connect in the last 30 days"))
    def how_others_fared(self, provider: Provider) -> SafeString | str:
        """At all its endpoints, which others may share."""
        return endpoint_pages.fared(provider)
