"""Admin pages about one person: looking at a row records an event, which that person can read."""

from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils import timezone

from apps.accounts.current_user import current_user
from apps.audit import recording
from apps.audit.read_only_admin import ReadOnlyAdmin
from apps.audit.recording import Actor, EventType, Fact


class AuditedDetailAdmin(ReadOnlyAdmin):
    """For rows with a user and a provider, or that belong to one. Lists show no more about anybody than an id, and
    record nothing."""

    subject: ClassVar[str]

    def owner(self, row: Any) -> Any:
        """The row whose user and provider it concerns: the row itself."""
        return row

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Every page of one row calls this."""
        row = super().get_object(request, object_id, from_field)
        if row is not None and self.has_view_permission(request, row):
            owner = self.owner(row)
            recording.record(
                EventType.STAFF_VIEWED,
                actor=Actor.staff(current_user(request).pk),
                at=timezone.now(),
                user_id=owner.user_id,
                subject=self.subject,
                subject_id=str(row.pk),
                facts={Fact.PROVIDER_ID: str(owner.provider_id)},
            )
        return row
