"""Filters of the list of client registrations."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory import credentials
from apps.directory.admin.list_filters import Question
from apps.directory.models import ClientRegistration

Status = ClientRegistration.Status

_WAITING = Q(status__in=[Status.REQUESTED, Status.PROVISIONAL])
_WRONG = ~Q(trouble="") | Q(enablements__is_enabled=False)


class IsWaiting(Question):
    """Whether the provider has yet to decide."""

    title = _("Is it waiting for approval?")
    parameter_name = "waiting"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """Requested or provisional."""
        return rows.filter(_WAITING if answer == "yes" else ~_WAITING)


class IsSomethingWrong(Question):
    """Refused as a whole, or by an organization."""

    title = _("Is something wrong?")
    parameter_name = "wrong"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the last response of their servers."""
        wrong = Q(pk__in=ClientRegistration.objects.filter(_WRONG).values("pk"))
        return rows.filter(wrong if answer == "yes" else ~wrong)


class IsSecretDue(Question):
    """Whether the secret has to be rotated at the provider."""

    title = _("Is its secret due for replacement?")
    parameter_name = "due"
    answers: ClassVar[Mapping[str, str | Promise]] = {
        "overdue": _("yes, overdue"),
        "soon": _("within a month"),
        "no": _("no"),
    }

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By its rotation date; a registration without a secret has none due."""
        today: date = timezone.localdate()
        soon = today + timedelta(days=credentials.WARN_DAYS)
        has_secret = Q(secret_set_at__isnull=False)
        conditions = {
            "overdue": has_secret & Q(secret_rotation_due_date__lt=today),
            "soon": has_secret & Q(secret_rotation_due_date__range=(today, soon)),
            "no": ~has_secret | Q(secret_rotation_due_date__isnull=True) | Q(secret_rotation_due_date__gt=soon),
        }
        return rows.filter(conditions[answer])
