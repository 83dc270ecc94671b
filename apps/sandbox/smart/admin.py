"""Staff pages of interface B: applications, organizations, grants, launches, keys.

Secrets, private keys and tokens are not shown.
"""

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from apps.sandbox import clock
from apps.sandbox.models import Developer, Launch, SigningKey, SmartApplication, SmartGrant, SystemAccount, Tenant
from apps.sandbox.smart import ending


@admin.register(Tenant)
class TenantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """The organizations."""

    list_display = ["name", "id", "practice", "is_suspended"]
    list_filter = ["is_suspended"]


@admin.register(SmartApplication)
class SmartApplicationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """Applications. New ones come from the console, or over the control address."""

    list_display = ["name", "client_id", "developer", "client_type", "persona", "smart_version", "status"]
    list_filter = ["status", "client_type", "persona"]
    list_select_related = ["developer"]
    readonly_fields = ["client_id", "developer", "status", "requested_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A developer registers it."""
        return False


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no arguments at run time
    """A read-only page."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows are only added by the protocol."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows cannot be edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows can be ended, but not deleted."""
        return False


@admin.register(SystemAccount)
class SystemAccountAdmin(ReadOnlyAdmin):
    """System accounts. They are approved and rejected at the approval desk."""

    list_display = ["client_name", "developer", "kind", "status", "client_id", "requested_at", "decided_at"]
    list_filter = ["status", "kind"]
    list_select_related = ["developer"]
    exclude = ["secret_sha256"]


@admin.register(Developer)
class DeveloperAdmin(ReadOnlyAdmin):
    """Who registered anything."""

    list_display = ["email", "signed_up_at"]
    search_fields = ["email"]


@admin.register(SmartGrant)
class SmartGrantAdmin(ReadOnlyAdmin):
    """What people allowed."""

    list_display = ["account", "application", "tenant", "version", "access", "created_at", "ended_at", "end_reason"]
    list_filter = ["tenant", "application", "access"]
    exclude = ["nonce", "session_key"]
    actions = ["end"]

    @admin.action(description="End: codes and refresh tokens stop working at once", permissions=["view"])
    def end(self, request: HttpRequest, chosen: QuerySet[SmartGrant]) -> None:
        """End these people's grants."""
        ended = ending.end(chosen, reason="ended by staff", at=clock.now())
        self.message_user(request, f"{ended} ended.")


@admin.register(Launch)
class LaunchAdmin(ReadOnlyAdmin):
    """Applications started from the portal."""

    list_display = ["application", "account", "tenant", "version", "expires_at", "used_at"]
    exclude = ["sha256"]


@admin.register(SigningKey)
class SigningKeyAdmin(ReadOnlyAdmin):
    """Keys, without their private halves."""

    list_display = ["kid", "kty", "purpose", "created_at", "retired_at"]
