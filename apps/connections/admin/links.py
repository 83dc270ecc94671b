"""Links in the admin: a list, the state and history of each, and the health of all."""

from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import formats, timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.user_id_column import UserIdColumn
from apps.audit.models import AuditEvent
from apps.connections import clocks
from apps.connections.admin import pages
from apps.connections.admin.audited_views import AuditedDetailAdmin
from apps.connections.admin.list_filters import DoesItEndSoon, HowDoesItStand, IsItsRenewalLate, WhyMustThePatientSignIn
from apps.connections.link_health import overview
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import Provider

_MOST_EVENTS = 200
_SEALED = (
    "sealed_candidates", "sealed_person", "sealed_context", "stored_token_set__sealed_access_token",
    "stored_token_set__sealed_refresh_token",
)  # fmt: skip


@admin.register(Connection)
class ConnectionAdmin(UserIdColumn, AuditedDetailAdmin):
    """Status and times. The user is shown by id only, tokens by their times."""

    subject = "connection"
    change_list_template = "admin/connections/list.html"
    fields = (
        "id", "id_of_user", "provider", "endpoint", "registration", "status", "reason", "reason_at", "created_at",
        "confirm_by_at", "confirmed_at", "last_checked_at", "ended_at", "ends_at", "renewed_from",
        "last_renewed", "failed", "waits_until",
    )  # fmt: skip
    readonly_fields = ("id_of_user", "ends_at", "renewed_from", "last_renewed", "failed", "waits_until")
    list_display = ("id", "provider", "status", "reason", "ends_at", "renewed_from", "checked_at")
    list_filter = (HowDoesItStand, WhyMustThePatientSignIn, DoesItEndSoon, IsItsRenewalLate, "endpoint__fhir_version")
    list_per_page = 50
    search_fields = ("provider__name",)  # shows the search box; get_search_results decides
    search_help_text = _("The whole id of a connection or of a user, or the name of a provider.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        """With the times of tokens, and without sealed columns."""
        rows: QuerySet[Connection] = super().get_queryset(request)
        return rows.select_related("provider", "stored_token_set").defer(*_SEALED)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Connection], search_term: str
    ) -> tuple[QuerySet[Connection], bool]:
        """Search by whole id, or by provider name. Parts of ids are not matched, because the database would read every
        link."""
        term = search_term.strip()
        if not term:
            return queryset, False
        with suppress(ValueError):
            wanted = UUID(term)
            return queryset.filter(Q(pk=wanted) | Q(user_id=wanted)), False
        return queryset.filter(provider__in=Provider.objects.filter(name__icontains=term).values("pk")), False

    def get_urls(self) -> list[URLPattern]:
        """With the page of all links' health, before the pattern that takes any text for an id."""
        own = path("health/", self.admin_site.admin_view(self.health_view), name="connections_connection_health")
        return [own, *super().get_urls()]

    def health_view(self, request: HttpRequest) -> HttpResponse:
        """What `link_health` prints, with links to the lists that it counts."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        at = clocks.now()
        shown = pages.health_page(overview.examine(at=at, off_by=timezone.now() - at))
        context = {**self._context(request), "title": _("Health of links"), "health": shown}
        return TemplateResponse(request, "admin/connections/health.html", context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """What happened to one link, from the audit log. The admin's own log has nothing, because nothing is changed
        here."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        events = AuditEvent.objects.filter(subject_id=str(row.pk)).order_by("-pk")[:_MOST_EVENTS]
        happened = [pages.happened(event) for event in events]
        context = {**self._context(request), "title": _("What happened to this link"), "object": row}
        context |= {"events": happened, "most": _MOST_EVENTS, "is_cut_off": len(happened) == _MOST_EVENTS}
        return TemplateResponse(request, "admin/connections/history.html", {**context, **(extra_context or {})})

    @admin.display(description=_("permission ends"))
    def ends_at(self, link: Connection) -> str:
        """When the permission ends, unless it is renewed."""
        stored = _stored(link)
        deadline_at = stored.refresh_deadline_at if stored else None
        return _told(min((moment for moment in (link.lapses_at, deadline_at) if moment is not None), default=None))

    @admin.display(description=_("renewed from"))
    def renewed_from(self, link: Connection) -> str:
        """When beat renews it; earlier if somebody asks for data."""
        stored = _stored(link)
        return _told(stored.refresh_due_at if stored else None)

    @admin.display(description=_("last checked"))
    def checked_at(self, link: Connection) -> str:
        """When we last looked for new data."""
        return _told(link.last_checked_at)

    @admin.display(description=_("last renewed"))
    def last_renewed(self, link: Connection) -> str:
        """When it was last renewed, or else granted."""
        stored = _stored(link)
        return _told(stored.refresh_used_at if stored else None)

    @admin.display(description=_("renewals that failed in a row"))
    def failed(self, link: Connection) -> int:
        """0 after a renewal that succeeded."""
        stored = _stored(link)
        return stored.tries if stored else 0

    @admin.display(description=_("not tried again before"))
    def waits_until(self, link: Connection) -> str:
        """Set after a success as well, because there is a least time between two renewals."""
        stored = _stored(link)
        return _told(stored.not_before_at if stored else None)

    def _context(self, request: HttpRequest) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.model._meta}  # noqa: SLF001 - public


def _stored(link: Connection) -> StoredTokenSet | None:
    return getattr(link, "stored_token_set", None)


def _told(moment: datetime | None) -> str:
    """Formatted as the admin itself does in lists only."""
    return formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT") if moment else pages.NOTHING
