"""Connections as staff see them: how links do; never whose record, a clinical fact or a secret. Nothing changes."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from apps.connections.models import AuthorizationRequest, Connection


class Window(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Read only."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows come from patients."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Patients change them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Patients and the clock delete them."""
        return False


@admin.register(Connection)
class ConnectionAdmin(Window):
    """Status and times. The user is shown by id alone."""

    fields = (
        "id", "user_id", "provider", "endpoint", "registration", "status", "reason", "reason_at", "created_at",
        "confirm_by_at", "confirmed_at", "last_checked_at", "ended_at",
    )  # fmt: skip
    readonly_fields = ("user_id",)
    list_display = ("id", "provider", "status", "reason", "created_at", "last_checked_at")
    list_filter = ("status", "reason", "endpoint__fhir_version")
    list_select_related = ("provider",)
    search_fields = ("=id", "=user__id", "provider__name")


@admin.register(AuthorizationRequest)
class AuthorizationRequestAdmin(Window):
    """How attempts ended."""

    fields = (
        "id", "user_id", "provider", "endpoint", "registration", "is_reauthorization", "created_at", "left_at",
        "claimed_at", "outcome",
    )  # fmt: skip
    readonly_fields = ("user_id",)
    list_display = ("id", "provider", "outcome", "created_at", "claimed_at")
    list_filter = ("outcome", "is_reauthorization")
    list_select_related = ("provider",)
    search_fields = ("=id", "provider__name")
