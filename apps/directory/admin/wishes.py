"""Patients' wishes in the admin: providers, and how many people want each, never who."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.audit.read_only_admin import ReadOnlyAdmin
from apps.directory.models import WantedProvider
from apps.directory.searching import wishing

_MOST_UNLISTED = 200


@admin.register(WantedProvider)
class WantedProviderAdmin(ReadOnlyAdmin):
    """The most wanted first; below them, names that no directory lists."""

    change_list_template = "admin/wanted_providers.html"
    fields = ("name", "city", "state", "website", "directory", "wanted_by")
    readonly_fields = ("wanted_by",)
    list_display = ("name", "city", "state", "directory", "wanted_by")
    search_fields = ("name", "city")

    def get_queryset(self, request: HttpRequest) -> QuerySet[WantedProvider]:
        """Those that anybody asked for."""
        rows: QuerySet[WantedProvider] = super().get_queryset(request)
        return rows.filter(wishes__isnull=False).annotate(wanted=Count("wishes")).order_by("-wanted", "name", "pk")

    @admin.display(description=_("people who want it"), ordering="wanted")
    def wanted_by(self, row: Any) -> int:
        """How many."""
        return int(row.wanted)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """With what was asked for by name."""
        told = {"unlisted": wishing.unlisted(most=_MOST_UNLISTED), "wished_once": wishing.wished_once()}
        return super().changelist_view(request, {**(extra_context or {}), **told})
