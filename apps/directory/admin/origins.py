"""Approved origins in the admin: origins with other ports than 443, each with a reason."""

from django.contrib import admin

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory import consistency
from apps.directory.admin.auditing import AuditedAdmin
from apps.directory.models import ApprovedOrigin


class ApprovedOriginForm(ChangedFieldsForm):
    """Accepts only the spelling that the URL guard compares."""

    class Meta:
        model = ApprovedOrigin
        fields = ("origin", "reason")

    def clean_origin(self) -> str:
        """Refuse what would never match."""
        origin: str = self.cleaned_data["origin"]
        consistency.check_origin(origin)
        return origin


@admin.register(ApprovedOrigin)
class ApprovedOriginAdmin(AuditedAdmin):
    """Ports other than 443, each approved for a reason."""

    subject = "approved origin"
    form = ApprovedOriginForm
    list_display = ("origin", "reason", "approved_at")
