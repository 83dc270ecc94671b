"""Staff pages: approve and retire applications, add versions, enrol, end sessions. Secrets and tokens are not shown."""

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.sandbox import clock
from apps.sandbox.models import Account, Application, Grant
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.patient_access import granting
from apps.sandbox.portal import registering
from apps.sandbox.smart import admin as smart_admin  # noqa: F401 -- the staff pages of interface B register themselves

admin.site.site_header = "Sandbox staff"
admin.site.site_title = "Sandbox staff"


@admin.register(Application)
class ApplicationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """Applications of the developer portal."""

    list_display = ["name", "developer", "status", "versions", "client_id", "requested_at"]
    list_filter = ["status"]
    list_select_related = ["developer"]
    readonly_fields = ["status", "developer", "decision", "decided_at", "client_id", "requested_at"]
    actions = ["approve", "retire", "add_dstu2", "add_r4"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Applications are requested in the portal."""
        return False

    @admin.action(description="Approve: the credentials work from now on", permissions=["change"])
    def approve(self, request: HttpRequest, chosen: QuerySet[Application]) -> None:
        """Approve provisional applications."""
        self._each(request, chosen, partial(registering.approve, at=clock.now()))

    @admin.action(description="Retire: the credentials never work again", permissions=["change"])
    def retire(self, request: HttpRequest, chosen: QuerySet[Application]) -> None:
        """Retire applications for good."""
        self._each(request, chosen, partial(registering.retire, at=clock.now()))

    @admin.action(description="Add FHIR DSTU2", permissions=["change"])
    def add_dstu2(self, request: HttpRequest, chosen: QuerySet[Application]) -> None:
        """Add DSTU2 to applications."""
        for application in chosen:
            registering.add_version(application, "dstu2")

    @admin.action(description="Add FHIR R4", permissions=["change"])
    def add_r4(self, request: HttpRequest, chosen: QuerySet[Application]) -> None:
        """Add R4 to applications."""
        for application in chosen:
            registering.add_version(application, "r4")

    def _each(self, request: HttpRequest, chosen: QuerySet[Application], change: Any) -> None:
        for application in chosen:
            try:
                change(application)
            except MoveRefused as refused:
                self.message_user(request, f"{application.name}: not {refused}", messages.ERROR)


@admin.register(Account)
class AccountAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """People who can sign in. New ones are enrolled at the front desk."""

    list_display = ["username", "display_name", "practice", "is_enrolled"]
    list_filter = ["is_enrolled", "practice"]
    search_fields = ["username", "display_name"]
    exclude = ["shown_password"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Enrolling needs a password, and is done by a practice."""
        return False


@admin.register(Grant)
class GrantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """What patients allowed."""

    list_display = ["account", "application", "version", "created_at", "ended_at", "end_reason"]
    list_filter = ["version", "application"]
    actions = ["end"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only patients grant."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        """Grants cannot be edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        """A grant can be ended, but not deleted."""
        return False

    @admin.action(description="End: codes and tokens stop working at once", permissions=["view"])
    def end(self, request: HttpRequest, chosen: QuerySet[Grant]) -> None:
        """End these patients' grants."""
        ended = granting.end(chosen, reason="ended by staff", at=clock.now())
        self.message_user(request, f"{ended} ended.")
