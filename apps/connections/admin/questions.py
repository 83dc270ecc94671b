"""Filters of links, named after staff's questions. None reads all links for one page."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.link_health import lagging
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory.admin.questions import Question


class HowDoesItStand(Question):
    """By status."""

    title = _("What is its status?")
    parameter_name = "stands"
    answers: ClassVar[Mapping[str, str | Promise]] = dict(Connection.Status.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filters the rows themselves: most links have the same status, so a list of their ids would be too long."""
        return queryset.filter(status=self.value()) if self.value() in self.answers else queryset


class WhyMustThePatientSignIn(Question):
    """By the reason, for links that need a sign-in."""

    title = _("Why must the patient sign in again?")
    parameter_name = "why"
    answers: ClassVar[Mapping[str, str | Promise]] = dict(Reason.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filters the rows themselves. A link that was ended since keeps its reason, but needs nobody."""
        if self.value() not in self.answers:
            return queryset
        return queryset.filter(status=Connection.Status.NEEDS_REAUTHORIZATION, reason=self.value())


class DoesItEndSoon(Question):
    """By the end of the permission, unless it is prolonged."""

    title = _("Does its permission end soon?")
    parameter_name = "ends"
    answers: ClassVar[Mapping[str, str | Promise]] = {
        "patient12": _("within 12 hours, unless the patient signs in"),
        "patient24": _("within 24 hours, unless the patient signs in"),
        "renewed12": _("within 12 hours, unless we renew it"),
        "renewed24": _("within 24 hours, unless we renew it"),
    }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """By the rules of the health page. Filters the rows themselves: half of all links may end within a day."""
        answer = self.value()
        if answer is None or answer not in self.answers:
            return queryset
        now = timezone.now()
        until = now + timedelta(hours=int(answer[-2:]))
        if answer.startswith("patient"):
            return queryset.filter(status=Connection.Status.ACTIVE, lapses_at__gt=now, lapses_at__lte=until)
        return queryset.filter(
            Q(stored_token_set__refresh_due_at__isnull=False) | Q(stored_token_set__parked_endpoint__isnull=False),
            stored_token_set__refresh_deadline_at__gt=now,
            stored_token_set__refresh_deadline_at__lte=until,
        )


class IsItsRenewalLate(Question):
    """By the time when it was due."""

    title = _("Is its renewal late?")
    parameter_name = "late"
    answers: ClassVar[Mapping[str, str | Promise]] = {
        "late": _("yes, by 15 minutes or more"),
        "due": _("it is due now"),
        "waiting": _("it failed, and will be tried again later"),
        "broken": _("it broke off, through a fault of ours"),
        "parked": _("its endpoint is switched off"),
    }

    def chosen(self, answer: str) -> QuerySet[Any]:
        """By the rules of the health page."""
        now = timezone.now()
        conditions: dict[str, dict[str, object]] = {
            "late": {"refresh_due_at__lte": now - lagging.LATE},
            "due": {"refresh_due_at__lte": now},
            "waiting": {"refresh_due_at__gt": now, "refresh_due_at__lte": now + lagging.LONGEST_WAIT, "tries__gt": 0},
            "broken": {"pk__in": lagging.broken_off()},
            "parked": {"parked_endpoint__isnull": False},
        }
        return StoredTokenSet.objects.filter(**conditions[answer]).values("connection")
