"""Accounts as staff see them, almost read-only. Staff can shut somebody out, but never get into an account themselves.

Nobody can set a password, an address or a second step here, because whoever can do that can read the record. Staff can
stop an account from signing in, and remove a lost second step once they know who asks.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.admin import IsLockedOutFilter
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts import owner_mail, staff_second_step, user_sessions
from apps.accounts.admin_breaches import BreachAdmin, BreachNoticeAdmin
from apps.accounts.admin_reauthentication import ReauthenticationAdmin
from apps.accounts.current_user import current_user
from apps.accounts.models import Breach, BreachNotice, Consent, User
from apps.accounts.notices import NOTICES
from apps.accounts.user_id_column import UserIdColumn
from apps.audit import recording
from apps.audit.admin_lookups import ShownLookupsAdmin
from apps.audit.concurrent_edits import ChangedFieldsForm, ConcurrentEditsAdmin
from apps.audit.paging import BoundedAdmin
from apps.audit.read_only_admin import ReadOnlyAdmin
from apps.audit.recording import Actor, EventType, Fact


def _has_permission(request: HttpRequest) -> bool:
    return AdminSite.has_permission(admin.site, request) and not staff_second_step.is_missing(current_user(request))


# The admin's own sign-in form knows neither second steps nor our lockout. So people are sent to the site's form, and
# staff without a second step to where one is set up.
admin.site.site_header = admin.site.site_title = _("Holdfast staff")
_to_sign_in = secure_admin_login(admin.site.login)
admin.site.login = staff_second_step.required(_to_sign_in)  # type: ignore[method-assign,assignment]
admin.site.has_permission = _has_permission  # type: ignore[method-assign]
admin.site.enable_nav_sidebar = False  # lists of addresses need the width

_WHOLE_ADDRESS = _("A whole e-mail address, or the whole id of a user.")


@admin.register(User)
class UserAdmin(ReauthenticationAdmin, ReadOnlyAdmin, ConcurrentEditsAdmin):
    """Find an account by its whole address, and decide whether it may sign in; superusers also decide who works
    here."""

    form = ChangedFieldsForm
    list_display = ("email", "is_active", "is_staff", "joined_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("=email", "=id")
    search_help_text = _WHOLE_ADDRESS
    ordering = ("-joined_at",)
    fields = ("email", "first_name", "language", "joined_at", "last_login", "is_active", "is_staff", "groups")
    filter_horizontal = ("groups",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff with Django's permission; for the account of somebody who works here, only superusers."""
        return admin.ModelAdmin.has_change_permission(self, request, obj) and _may_decide_about(request, obj)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Log that staff looked at an account: its owner sees that under Activity. Nothing is logged for those who may
        not look."""
        user = super().get_object(request, object_id, from_field)
        if user is not None and self.has_view_permission(request, user):
            note_by_staff(EventType.STAFF_VIEWED, request, user.pk)
        return user

    def save_model(
        self,
        request: HttpRequest,
        obj: Model,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Also record the decision in the audit log: the admin's own log entries are deleted with the account they are
        about, and with the account of whoever made them."""
        assert isinstance(obj, User)  # noqa: S101 - this admin's model
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            user_sessions.end_all(obj)
        if "is_active" in form.changed_data:
            note_by_staff(EventType.USER_LET_IN if obj.is_active else EventType.USER_STOPPED, request, obj.pk)
        if "is_staff" in form.changed_data:
            action = "given" if obj.is_staff else "taken away"
            facts: dict[str, str] = {Fact.CHANGED: "is_staff", Fact.ACTION: action}
            note_by_staff(EventType.USER_RIGHTS_CHANGED, request, obj.pk, facts)
        if "groups" in form.changed_data:
            note_by_staff(EventType.USER_RIGHTS_CHANGED, request, obj.pk, {Fact.CHANGED: "groups"})

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Everything but "may sign in"; superusers can also change who works here."""
        closed = ("email", "first_name", "language", "joined_at", "last_login")
        is_superuser = isinstance(request.user, User) and request.user.is_superuser
        return closed if is_superuser else (*closed, "is_staff", "groups")


class NoticeVersionFilter(admin.SimpleListFilter):
    """Lists the known notices, not those in the table: to find these, the database would have to read all of it."""

    title = _("version of the notice")
    parameter_name = "notice_version"

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[Any, str]]:
        """Every version, newest first."""
        return [(notice.version, notice.version) for notice in reversed(NOTICES)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Consents to the chosen version."""
        return queryset.filter(notice_version=self.value()) if self.value() else queryset


@admin.register(Consent)
class ConsentAdmin(UserIdColumn, ReadOnlyAdmin):
    """Who agreed to which notice, and when."""

    list_display = ("id_of_user", "notice_version", "declaration", "language", "agreed_at")
    list_filter = (NoticeVersionFilter, "declaration")
    search_fields = ("=user__email", "=user__id")
    search_help_text = _WHOLE_ADDRESS
    fields = ("id_of_user", "notice_version", "declaration", "language", "agreed_at")


class AddressAdmin(ReadOnlyAdmin):
    """Addresses and whether they are verified. Changing one would hand an account to somebody else."""

    list_display = ("email", "verified", "primary")
    search_fields = ("=email", "=user__id")
    search_help_text = _WHOLE_ADDRESS
    fields = ("email", "verified", "primary")


class AuthenticatorAdmin(ReauthenticationAdmin, UserIdColumn, ReadOnlyAdmin):
    """Second steps, without their secrets. A lost one can be removed, never read or added."""

    list_display = ("id_of_user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("=user__email", "=user__id")
    search_help_text = _WHOLE_ADDRESS
    fields = ("id_of_user", "type", "created_at", "last_used_at")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff with Django's permission; for the account of somebody who works here, only superusers."""
        owner = obj.user if obj is not None else None
        return admin.ModelAdmin.has_delete_permission(self, request, obj) and _may_decide_about(request, owner)

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        """Remove one, as `delete_queryset` does."""
        self.delete_queryset(request, Authenticator.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Authenticator]) -> None:
        """Remove them, log who did, and mail each owner: whoever asked for it may have been somebody else."""
        at = timezone.now()
        with transaction.atomic():
            owners = User.objects.filter(pk__in=list(queryset.order_by().values_list("user_id", flat=True)))
            for owner in owners:
                note_by_staff(EventType.USER_AUTHENTICATOR_CHANGED, request, owner.pk)
                transaction.on_commit(partial(owner_mail.tell_of_a_lost_second_step, owner, at=at))
            queryset.delete()
            _delete_unusable_recovery_codes(owners)


def _may_decide_about(request: HttpRequest, user: User | None) -> bool:
    """Whether this member of staff may stop an account or remove its second step. Staff must not do so to people with
    more rights, which they could then go on to use."""
    return user is None or not (user.is_staff or user.is_superuser) or current_user(request).is_superuser


def _delete_unusable_recovery_codes(users: QuerySet[User]) -> None:
    """Delete the recovery codes of users who have no second step left: whoever found them could use them with the next
    one."""
    codes = Authenticator.Type.RECOVERY_CODES
    still = Authenticator.objects.exclude(type=codes).values("user")
    Authenticator.objects.filter(user__in=users, type=codes).exclude(user__in=still).delete()


def note_by_staff(
    event: EventType, request: HttpRequest, user_id: UUID, facts: Mapping[str, str] | None = None
) -> None:
    """Record what a member of staff did to somebody's account."""
    recording.record(
        event,
        actor=Actor.staff(current_user(request).pk),
        at=timezone.now(),
        user_id=user_id,
        subject="user",
        subject_id=str(user_id),
        facts=facts,
    )


class IsLockedOut(IsLockedOutFilter):  # type: ignore[misc]  # the library has no types
    """The library's filter, with texts that are translated."""

    title = _("Is it locked out?")
    template = "admin/list_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Yes and no, as in our other filters."""
        return [("yes", _("yes")), ("no", _("no"))]


class AttemptAdmin(ReauthenticationAdmin, BoundedAdmin):
    """Failed sign-ins. An attacker can make this list long. Deleting a row lets that person try again."""

    list_display = ("attempt_time", "ip_address", "username", "failures_since_start")
    list_filter = ("attempt_time", IsLockedOut)
    search_fields = ("ip_address", "username")
    fields = ("attempt_time", "ip_address", "username", "user_agent", "path_info", "failures_since_start")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only sign-ins add rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only sign-ins change rows: saving a page would overwrite the count with an old one."""
        return False

    def delete_model(self, request: HttpRequest, obj: AccessAttempt) -> None:
        """Delete one; the owner of the account reads under Activity that staff let somebody try again."""
        self.delete_queryset(request, AccessAttempt.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[AccessAttempt]) -> None:
        """Delete several. Nothing is logged about an address without an account."""
        with transaction.atomic():
            names = list(queryset.order_by().values_list("username", flat=True).distinct())
            for user_id in User.objects.filter(email__in=names).values_list("pk", flat=True):
                note_by_staff(EventType.USER_LET_IN, request, user_id)
            super().delete_queryset(request, queryset)


class AuditedGroupAdmin(ReauthenticationAdmin, ShownLookupsAdmin, ConcurrentEditsAdmin, GroupAdmin):
    """What members of a group may do. The audit log says who changed that, by the group's id."""

    def save_model(
        self,
        request: HttpRequest,
        obj: Any,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Save and log it."""
        super().save_model(request, obj, form, change)
        self._note(request, obj, "changed" if change else "added")

    def delete_model(self, request: HttpRequest, obj: Group) -> None:
        """Log it first: afterwards there is nothing left to name."""
        self._note(request, obj, "deleted")
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Group]) -> None:
        """Delete several, and log each."""
        with transaction.atomic():
            for group in queryset:
                self.delete_model(request, group)

    def _note(self, request: HttpRequest, group: Group, action: str) -> None:
        recording.record(
            EventType.GROUP_CHANGED,
            actor=Actor.staff(current_user(request).pk),
            at=timezone.now(),
            subject="group",
            subject_id=str(group.pk),
            facts={Fact.ACTION: action},
        )


admin.site.register(Breach, BreachAdmin)
admin.site.register(BreachNotice, BreachNoticeAdmin)
# allauth registers forms that can change all of these. Sessions are nobody's business but their owner's, and not here.
for model in (EmailAddress, Authenticator):
    admin.site.unregister(model)
admin.site.register(EmailAddress, AddressAdmin)
admin.site.register(Authenticator, AuthenticatorAdmin)
# The library shows a passkey by the name that its owner gave it, which no page or log of staff may contain.
Authenticator.__str__ = Authenticator.get_type_display
# The library's own two logs are off: the audit log has what they would contain.
for model in (AccessAttempt, AccessFailureLog, AccessLog):
    admin.site.unregister(model)
admin.site.register(AccessAttempt, AttemptAdmin)
# The library's own page of groups writes nothing into the audit log.
admin.site.unregister(Group)
admin.site.register(Group, AuditedGroupAdmin)

# Names for the libraries' models: heading, singular, plural, columns. Their own names have no Spanish translation.
_CALLED: Mapping[type[Model], tuple[Promise, Promise, Promise, Mapping[str, Promise]]] = {
    Authenticator: (_("Second steps"), _("authenticator"), _("authenticators"), {
        "type": _("kind"), "created_at": _("set up"), "last_used_at": _("last used"),
    }),
    AccessAttempt: (_("Failed sign-ins"), _("access attempt"), _("access attempts"), {
        "attempt_time": _("last try"), "ip_address": _("network address"), "username": _("address typed"),
        "user_agent": _("browser"), "path_info": _("page"), "failures_since_start": _("wrong passwords"),
    }),
}  # fmt: skip
for model, (heading, one, many, columns) in _CALLED.items():
    options: Any = model._meta  # noqa: SLF001 - public
    options.app_config.verbose_name, options.verbose_name, options.verbose_name_plural = heading, one, many
    for column, name in columns.items():
        options.get_field(column).verbose_name = name
