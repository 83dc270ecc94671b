"""What staff can see: what came, when, and how large; never a body, a logical id, or anything that it says."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.connections.admin.audited_views import AuditedDetailAdmin
from apps.records.models import Record, SyncRun, SyncStep
from apps.wire.resource_types import RESOURCE_TYPES


class RecordsAdmin(AuditedDetailAdmin):
    """For tables with many rows, each belonging to one connection: pages are shorter, and viewing a row is audited."""

    list_per_page = 50

    def owner(self, row: Any) -> Any:
        """The connection."""
        return row.connection


class OverWhichWorkersDie(RecordsAdmin):
    """For what workers process: how often one died over it, labeled so that it does not sound like a patient's
    death."""

    exclude: ClassVar[tuple[str, ...]] = ("deaths",)
    readonly_fields = ("worker_deaths",)

    @admin.display(description=_("workers that died over it"), ordering="deaths")
    def worker_deaths(self, row: Any) -> int:
        """As the row counts them."""
        return int(row.deaths)


class OfType(admin.SimpleListFilter):
    """A filter by the resource types we know, rather than by those in the table: to find these, the database would read
    all of it."""

    title = _("resource type")
    parameter_name = "resource_type"

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[Any, str]]:
        """Every type of both versions."""
        names = {name for types in RESOURCE_TYPES.values() for name in types}
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of one type."""
        return queryset.filter(resource_type=self.value()) if self.value() else queryset


@admin.register(SyncRun)
class SyncRunAdmin(OverWhichWorkersDie):
    """Runs, newest first. Search takes one whole id, of a run or of a connection."""

    subject = "sync run"
    list_display = (
        "created_at", "connection", "cause", "is_full", "outcome", "lease_until", "pauses", "worker_deaths",
        "finished_at",
    )  # fmt: skip
    list_filter = ("outcome", "cause", "is_full")
    search_fields = ("id__exact", "connection__id__exact")
    ordering = ("-created_at",)


@admin.register(SyncStep)
class SyncStepAdmin(OverWhichWorkersDie):
    """Steps, newest first. Neither the cursor, which may contain a patient's id, nor a staged page is shown."""

    subject = "sync step"
    list_display = (
        "run", "resource_type", "status", "gap", "since_at", "pages", "rows_got", "rows_kept", "rows_changed",
        "rows_removed", "rows_missing", "worker_deaths", "finished_at",
    )  # fmt: skip
    list_filter = ("status", "gap", OfType)
    search_fields = ("run__id__exact",)
    ordering = ("-pk",)
    exclude = ("deaths", "sealed_cursor", "sealed_page")
    list_select_related = ("run",)

    def owner(self, row: Any) -> Any:
        """The connection of its run."""
        return row.run.connection


@admin.register(Record)
class RecordAdmin(RecordsAdmin):
    """Type, dates and size of stored resources. Search takes one whole connection id."""

    subject = "record"
    list_display = ("resource_type", "connection", "first_received_at", "received_at", "confirmed_at", "stored_bytes")
    list_filter = (OfType,)
    search_fields = ("connection__id__exact",)
    ordering = ("-pk",)
    fields = list_display
    readonly_fields = list_display

    def get_queryset(self, request: HttpRequest) -> QuerySet[Record]:
        """The database computes the size, so that no body is loaded."""
        rows: QuerySet[Record] = super().get_queryset(request)
        return rows.defer("sealed_body", "digest").annotate(stored_bytes=Length("sealed_body"))

    @admin.display(description=_("size in bytes, sealed"))
    def stored_bytes(self, record: Any) -> int:
        """As computed by the database."""
        return int(record.stored_bytes)
