"""The audit log as staff see it: read-only."""

from contextlib import suppress
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.audit.models import ActorKind, AuditEvent
from apps.audit.read_only_admin import ReadOnlyAdmin


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """Read only. Search takes one whole id: of a user, of a member of staff or of a thing."""

    list_display = ("at", "event", "actor_kind", "who", "subject", "subject_id", "user_id")
    list_filter = ("event", "actor_kind", "at")
    search_fields = ("subject_id",)  # makes the search box appear; get_search_results searches
    search_help_text = _("A whole id: of a user, an actor or a thing. The newest 10,000 matches are shown.")
    ordering = ("-id",)
    list_per_page = 50

    @admin.display(description=_("which of them"))
    def who(self, event: AuditEvent) -> str:
        """The part of the system, or the id of the member of staff. A user acts on their own account, whose id is in
        the next columns."""
        return event.actor_name or (str(event.actor_id) if event.actor_kind == ActorKind.STAFF else "-")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        """Match whole ids, which have indexes; to match a part of one would read the whole table."""
        term = search_term.strip()
        if not term:
            return queryset, False
        matches = Q(subject_id=term)
        with suppress(ValueError):  # some things have other ids
            matches |= Q(user_id=UUID(term)) | Q(actor_kind=ActorKind.STAFF, actor_id=UUID(term))
        return queryset.filter(matches), False
