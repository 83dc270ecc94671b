"""Accounts as staff see them: a window. Staff close the door on somebody; they never come in by it themselves.

Nobody can be given a password, an address or a second step here, because whoever can do that can read the record. What
staff may do is stop an account from signing in, and take away a lost second step once they know who asks.
"""

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest

from apps.accounts.models import Consent, User

# The admin's own sign-in form knows neither a second step nor our lock-out: whoever comes is sent to the site's.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


class WindowAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """To look, not to touch."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: rows come to be on the site."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


@admin.register(User)
class UserAdmin(WindowAdmin):
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

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """All but "may sign in"; and for superusers, who works here."""
        closed = ("email", "first_name", "language", "joined_at", "last_login")
        is_superuser = isinstance(request.user, User) and request.user.is_superuser
        return closed if is_superuser else (*closed, "is_staff", "groups")


@admin.register(Consent)
class ConsentAdmin(WindowAdmin):
    """Who agreed to which notice, and when."""

    list_display = ("user_id", "notice_version", "declaration", "language", "agreed_at")
    list_filter = ("notice_version", "declaration")
    search_fields = ("=user__email",)
    fields = ("user_id", "notice_version", "declaration", "language", "agreed_at")


class AddressAdmin(WindowAdmin):
    """Addresses and whether they are verified. Changing one would hand an account to somebody else."""

    list_display = ("email", "verified", "primary")
    search_fields = ("=email",)
    fields = ("email", "verified", "primary")


class AuthenticatorAdmin(WindowAdmin):
    """Second steps, without what is in them. A lost one can be taken away, never read or added."""

    list_display = ("user_id", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("=user__email",)
    fields = ("user_id", "type", "created_at", "last_used_at")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff with the permission, as Django has it."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


# allauth registers forms that can change all of these; sessions are nobody's business but their owner's.
for model in (EmailAddress, Authenticator, UserSession):
    admin.site.unregister(model)
admin.site.register(EmailAddress, AddressAdmin)
admin.site.register(Authenticator, AuthenticatorAdmin)
