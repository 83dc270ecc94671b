"""Connections as staff see them: how links do; never whose record, a clinical fact or a secret. Nothing changes."""

from django.contrib import admin

from apps.audit.window import Window
from apps.connections.models import AuthorizationRequest, Connection


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
