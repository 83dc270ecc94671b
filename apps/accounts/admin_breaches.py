"""Breaches as staff see them: what people were told, and whom it has reached. Commands announce and withdraw them."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Breach
from apps.accounts.user_id_column import UserIdColumn
from apps.audit.read_only_admin import ReadOnlyAdmin

_WAYS: Final = ("mailed_at", "mail_due_at", "read_at")  # all empty: this person cannot be reached


class BreachAdmin(ReadOnlyAdmin):
    """What people were told, and how many of them it has reached."""

    list_display = ("announced_at", "number", "people", "mailed", "mail_to_come", "read", "unreached")
    fields = (*list_display, "english", "spanish")
    ordering = ("-announced_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Breach]:
        """With the numbers of its notices."""
        rows: QuerySet[Breach] = super().get_queryset(request)
        return rows.annotate(
            people_count=Count("notices"),
            mailed_count=Count("notices", filter=Q(notices__mailed_at__isnull=False)),
            to_come_count=Count("notices", filter=Q(notices__mail_due_at__isnull=False)),
            read_count=Count("notices", filter=Q(notices__read_at__isnull=False)),
            unreached_count=Count("notices", filter=Q(**{f"notices__{name}": None for name in _WAYS})),
        )

    @admin.display(description=_("number"))
    def number(self, row: Any) -> int:
        """What commands call it."""
        return int(row.pk)

    @admin.display(description=_("people"))
    def people(self, row: Any) -> int:
        """Whom it concerns, without those who closed their account since."""
        return int(row.people_count)

    @admin.display(description=_("told by e-mail"))
    def mailed(self, row: Any) -> int:
        """The mail server took the mail."""
        return int(row.mailed_count)

    @admin.display(description=_("e-mail to come"))
    def mail_to_come(self, row: Any) -> int:
        """It is being tried."""
        return int(row.to_come_count)

    @admin.display(description=_("read it here"))
    def read(self, row: Any) -> int:
        """They said so."""
        return int(row.read_count)

    @admin.display(description=_("reached in no way"))
    def unreached(self, row: Any) -> int:
        """Their mail was tried for three days, or stopped. The list of notices says who they are."""
        return int(row.unreached_count)


class ReachedFilter(admin.SimpleListFilter):
    """Whom to write to in another way."""

    title = _("Did it reach them?")
    parameter_name = "reached"
    template = "admin/list_filter.html"
    answers: Final[Mapping[str, Promise]] = {"yes": _("yes"), "not-yet": _("not yet"), "no": _("no")}

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """In this order."""
        return list(self.answers.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """By mail, or because they read it."""
        reached = Q(mailed_at__isnull=False) | Q(read_at__isnull=False)
        wanted = {"yes": reached, "not-yet": ~reached & Q(mail_due_at__isnull=False), "no": Q(**dict.fromkeys(_WAYS))}
        return queryset.filter(wanted.get(self.value() or "", Q()))


class BreachNoticeAdmin(UserIdColumn, ReadOnlyAdmin):
    """Who was told of which breach, and whether it reached them."""

    list_display = ("id_of_user", "breach", "reached")
    list_filter = (ReachedFilter, "breach")
    list_select_related = ("breach",)
    search_fields = ("=user__email", "=user__id")
    search_help_text = _("A whole e-mail address, or the whole id of a user.")
    fields = ("id_of_user", "breach", "reached")

    @admin.display(description=_("reached"))
    def reached(self, row: Any) -> str:
        """How, as the filter counts it."""
        if row.read_at is not None:
            return gettext("read it here")
        if row.mailed_at is not None:
            return gettext("told by e-mail")
        return gettext("e-mail to come") if row.mail_due_at is not None else gettext("in no way")
