"""Filters of the list of links. None reads all links for one page, nor lists the ids of those it leaves, because most
links may have the same answer."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.link_health import lagging
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory.admin.list_filters import Question


class HowDoesItStand(Question):
    """By status."""

    title = _("What is its status?")
    parameter_name = "stands"
    answers: ClassVar[Mapping[str, str | Promise]] = dict(Connection.Status.choices)

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the column."""
        return rows.filter(status=answer)


class WhyMustThePatientSignIn(Question):
    """By the reason, for links that need a sign-in."""

    title = _("Why must the patient sign in again?")
    parameter_name = "why"
    answers: ClassVar[Mapping[str, str | Promise]] = dict(Reason.choices)

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """A link that was ended since keeps its reason, but needs nobody."""
        return rows.filter(status=Connection.Status.NEEDS_REAUTHORIZATION, reason=answer)


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

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the rules of the health page."""
        now = timezone.now()
        until = now + timedelta(hours=int(answer[-2:]))
        if answer.startswith("patient"):
            return rows.filter(status=Connection.Status.ACTIVE, lapses_at__gt=now, lapses_at__lte=until)
        return rows.filter(
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

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the rules of the health page."""
        now = timezone.now()
        conditions: dict[str, dict[str, object]] = {
            "late": {"refresh_due_at__lte": now - lagging.LATE},
            "due": {"refresh_due_at__lte": now},
            "waiting": {"refresh_due_at__gt": now, "refresh_due_at__lte": now + lagging.LONGEST_WAIT, "tries__gt": 0},
            "broken": {"pk__in": lagging.broken_off()},
            "parked": {"parked_endpoint__isnull": False},
        }
        return rows.filter(pk__in=StoredTokenSet.objects.filter(**conditions[answer]).values("connection"))
