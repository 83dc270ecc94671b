"""Checks of endpoints in the admin: findings and changes, newest first. Read-only."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from apps.audit.read_only_admin import ReadOnlyAdmin
from apps.directory.admin import endpoint_pages
from apps.directory.admin.list_filters import Question
from apps.directory.models import EndpointCheck


class DidItFail(Question):
    """By its outcome."""

    title = _("Did it find anything wrong?")
    parameter_name = "ill"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """Ill, or not."""
        is_ill = Q(outcome=EndpointCheck.Outcome.ILL)
        return rows.filter(is_ill if answer == "yes" else ~is_ill)


class DidAnythingChange(Question):
    """Since the check before."""

    title = _("Had anything changed?")
    parameter_name = "changed"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """With anything written down, or nothing."""
        return rows.exclude(changes=[]) if answer == "yes" else rows.filter(changes=[])


class IsItTheLatest(Question):
    """Of its endpoint."""

    title = _("Is it the latest?")
    parameter_name = "latest"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the mark."""
        return rows.filter(is_latest=answer == "yes")


@admin.register(EndpointCheck)
class EndpointCheckAdmin(ReadOnlyAdmin):
    """One row for each check; the latest twenty of each endpoint are kept."""

    list_display = ("checked_at", "endpoint", "outcome", "what_was_found", "what_changed")
    list_filter = (DidItFail, IsItTheLatest, DidAnythingChange, "checked_at")
    list_per_page = 50
    list_select_related = ("endpoint",)
    search_fields = ("endpoint__fhir_base_url", "endpoint__providers__name", "software")
    search_help_text = _("Host, provider or software.")
    ordering = ("-pk",)
    fields = (
        "endpoint", "checked_at", "outcome", "what_was_found", "what_changed", "fhir_version", "software",
        "kinds", "authorize_url", "token_url", "issuer", "which_certificates", "certificate_ends_at",
    )  # fmt: skip
    readonly_fields = ("what_was_found", "what_changed", "kinds", "which_certificates")

    @admin.display(description=_("what was found"))
    def what_was_found(self, check: EndpointCheck) -> SafeString | str:
        """Faults first."""
        return endpoint_pages.listed(check.findings)

    @admin.display(description=_("what changed"))
    def what_changed(self, check: EndpointCheck) -> SafeString | str:
        """Since the check before."""
        return endpoint_pages.listed(endpoint_pages.changes(check))

    @admin.display(description=_("kinds of entries it states"))
    def kinds(self, check: EndpointCheck) -> str:
        """By the names that FHIR has for them."""
        return ", ".join(check.types) or endpoint_pages.NOTHING

    @admin.display(description=_("certificates"))
    def which_certificates(self, check: EndpointCheck) -> SafeString | str:
        """Of each host."""
        return endpoint_pages.listed(endpoint_pages.certificates(check))
