"""Accounts as staff see them: a window. Staff close the door on somebody; they never come in by it themselves.

Nobody can be given a password, an address or a second step here, because whoever can do that can read the record. What
staff may do is stop an account from signing in, and take away a lost second step once they know who asks.
"""

from typing import Any
from uuid import UUID

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.admin import IsLockedOutFilter
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.current_user import current_user
from apps.accounts.models import Consent, User
from apps.accounts.notices import NOTICES
from apps.audit import recording
from apps.audit.paging import BoundedAdmin
from apps.audit.recording import Actor, EventType
from apps.audit.window import Window

# The admin's own sign-in form knows neither a second step nor our lock-out: whoever comes is sent to the site's.
admin.site.site_header = admin.site.site_title = _("Holdfast staff")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.enable_nav_sidebar = False  # lists of addresses need the width


@admin.register(User)
class UserAdmin(Window):
    """Find an account by its whole address; decide whether it may sign in; superusers also decide who works here."""

    list_display = ("email", "is_active", "is_staff", "joined_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("=email", "=id")
    ordering = ("-joined_at",)
    fields = ("email", "first_name", "language", "joined_at", "last_login", "is_active", "is_staff", "groups")
    filter_horizontal = ("groups",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff with the permission, as Django has it."""
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Looking at an account is logged: the person it belongs to sees it under Activity."""
        user = super().get_object(request, object_id, from_field)
        if user is not None:
            note_by_staff(EventType.STAFF_VIEWED, request, user.pk)
        return user

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """All but "may sign in"; and for superusers, who works here."""
        closed = ("email", "first_name", "language", "joined_at", "last_login")
        is_superuser = isinstance(request.user, User) and request.user.is_superuser
        return closed if is_superuser else (*closed, "is_staff", "groups")


class ToNotice(admin.SimpleListFilter):
    """Of the notices there are, rather than of those in the table: to find these, the database reads all of it."""

    title = _("version of the notice")
    parameter_name = "notice_version"

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[Any, str]]:
        """Every version, the newest first."""
        return [(notice.version, notice.version) for notice in reversed(NOTICES)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Who agreed to it."""
        return queryset.filter(notice_version=self.value()) if self.value() else queryset


@admin.register(Consent)
class ConsentAdmin(Window):
    """Who agreed to which notice, and when."""

    list_display = ("user_id", "notice_version", "declaration", "language", "agreed_at")
    list_filter = (ToNotice, "declaration")
    search_fields = ("=user__email",)
    fields = ("user_id", "notice_version", "declaration", "language", "agreed_at")


class AddressAdmin(Window):
    """Addresses and whether they are verified. Changing one would hand an account to somebody else."""

    list_display = ("email", "verified", "primary")
    search_fields = ("=email",)
    fields = ("email", "verified", "primary")


class AuthenticatorAdmin(Window):
    """Second steps, without what is in them. A lost one can be taken away, never read or added."""

    list_display = ("user_id", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("=user__email",)
    fields = ("user_id", "type", "created_at", "last_used_at")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff with the permission, as Django has it."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        """Take it away, and log who did."""
        with transaction.atomic():
            note_by_staff(EventType.USER_AUTHENTICATOR_CHANGED, request, obj.user_id)
            obj.delete()

    def log_deletions(self, request: HttpRequest, queryset: Any) -> list[Any]:
        """Not in the admin's own log as well: it would keep what somebody called a passkey, beyond their account."""
        return []

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Authenticator]) -> None:
        """Take several away, and log each."""
        for authenticator in queryset:
            self.delete_model(request, authenticator)


def note_by_staff(event: EventType, request: HttpRequest, user_id: UUID) -> None:
    """Log what a member of staff did to somebody's account."""
    recording.record(
        event,
        actor=Actor.staff(current_user(request).pk),
        at=timezone.now(),
        user_id=user_id,
        subject="user",
        subject_id=str(user_id),
    )


class AttemptAdmin(BoundedAdmin):
    """Who tries to sign in and fails. Whoever guesses passwords makes this list long. Taking a row away lets in."""

    list_display = ("attempt_time", "ip_address", "username", "failures_since_start")
    list_filter = ("attempt_time", IsLockedOutFilter)
    search_fields = ("ip_address", "username")
    fields = ("attempt_time", "ip_address", "username", "user_agent", "path_info", "failures_since_start")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Attempts make them."""
        return False


# allauth registers forms that can change all of these. Sessions are nobody's business but their owner's.
for model in (EmailAddress, Authenticator):
    admin.site.unregister(model)
admin.site.register(EmailAddress, AddressAdmin)
admin.site.register(Authenticator, AuthenticatorAdmin)
# The audit log has what the library's own two logs would have: they are off.
for model in (AccessAttempt, AccessFailureLog, AccessLog):
    admin.site.unregister(model)
admin.site.register(AccessAttempt, AttemptAdmin)
