"""Filters of the lists of endpoints and providers."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.directory.admin.list_filters import Question
from apps.directory.models import Provider
from apps.directory.monitoring import endpoint_filters


class CanBeLinked(Question):
    """Yes or no; the column "linking" says why not."""

    title = _("Can patients link it?")
    parameter_name = "linkable"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the same rule as on the page of one endpoint."""
        linkable = Q(pk__in=endpoint_filters.linkable(at=timezone.now()).values("pk"))
        return rows.filter(linkable if answer == "yes" else ~linkable)


class DidLastCheckFail(Question):
    """Endpoints that were never checked are a choice of their own."""

    title = _("Did its last check fail?")
    parameter_name = "ill"
    answers = {"yes": _("yes"), "no": _("no"), "unchecked": _("never checked")}

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the latest check."""
        found = {"yes": endpoint_filters.ill, "no": endpoint_filters.well, "unchecked": endpoint_filters.unchecked}
        return rows.filter(pk__in=found[answer]().values("pk"))


class DoesCertificateEndSoon(Question):
    """Within 30 days, or already expired."""

    title = _("Does its certificate end soon?")
    parameter_name = "ends"
    answers = {"yes": _("within 30 days, or ended")}

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """Of any of its hosts."""
        return rows.filter(pk__in=endpoint_filters.ending_soon(at=timezone.now()).values("pk"))


class IsOnItsList(Question):
    """What vanished from its list is marked, and never deleted."""

    title = _("Is it still on its list?")
    parameter_name = "listed"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the mark."""
        return rows.filter(vanished_at__isnull=answer == "yes")


class DoDocumentsDisagree(Question):
    """Or whether discovery found anything else for staff to review."""

    title = _("Do its documents disagree?")
    parameter_name = "disagrees"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """With anything written down, or nothing."""
        return rows.exclude(disagreements=[]) if answer == "yes" else rows.filter(disagreements=[])


class CanAnyBeLinked(Question):
    """Of a provider's endpoints. A site without endpoints of its own has those of its system."""

    title = _("Can patients link it?")
    parameter_name = "linkable"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """Through any endpoint."""
        linkable = endpoint_filters.linkable(at=timezone.now()).values("pk")
        there = Provider.objects.filter(vanished_at__isnull=True)
        own = there.filter(endpoints__in=linkable).values("pk")
        of_the_system = there.filter(endpoints__isnull=True, part_of__endpoints__in=linkable).values("pk")
        with_one = Q(pk__in=own) | Q(pk__in=of_the_system)
        return rows.filter(with_one if answer == "yes" else ~with_one)
