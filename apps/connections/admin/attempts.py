"""Authorization requests in the admin: how attempts to sign in ended."""

from django.contrib import admin

from apps.accounts.user_id_column import UserIdColumn
from apps.connections.admin.audited_views import AuditedDetailAdmin
from apps.connections.models import AuthorizationRequest


@admin.register(AuthorizationRequest)
class AuthorizationRequestAdmin(UserIdColumn, AuditedDetailAdmin):
    """Attempts and their outcomes, newest first. They are kept for a day."""

    subject = "authorization request"
    fields = (
        "id", "id_of_user", "provider", "endpoint", "registration", "is_reauthorization", "created_at", "left_at",
        "claimed_at", "outcome",
    )  # fmt: skip
    list_display = ("id", "provider", "outcome", "created_at", "claimed_at")
    list_filter = ("outcome", "is_reauthorization")
    ordering = ("-created_at", "-pk")
    list_select_related = ("provider",)
    search_fields = ("=id", "provider__name")
