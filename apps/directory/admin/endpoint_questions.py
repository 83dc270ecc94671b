"""Filters of endpoints and providers, named after staff's questions."""

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.directory.admin.questions import Question
from apps.directory.models import Endpoint, Provider
from apps.directory.monitoring import endpoint_filters


class CanBeLinked(Question):
    """Yes or no; the column "linking" says why not."""

    title = _("Can patients link it?")
    parameter_name = "linkable"

    def chosen(self, answer: str) -> QuerySet[Any]:
        """By the same rule as on the page of one endpoint."""
        linkable = endpoint_filters.linkable(at=timezone.now()).values("pk")
        return linkable if answer == "yes" else Endpoint.objects.exclude(pk__in=linkable).values("pk")


class DidLastCheckFail(Question):
    """Endpoints that were never checked are a choice of their own."""

    title = _("Did its last check fail?")
    parameter_name = "ill"
    answers = {"yes": _("yes"), "no": _("no"), "unchecked": _("never checked")}

    def chosen(self, answer: str) -> QuerySet[Any]:
        """By the latest check."""
        rows = {"yes": endpoint_filters.ill, "no": endpoint_filters.well, "unchecked": endpoint_filters.unchecked}[
            answer
        ]()
        return rows.values("pk")


class DoesCertificateEndSoon(Question):
    """Within 30 days, or already expired."""

    title = _("Does its certificate end soon?")
    parameter_name = "ends"
    answers = {"yes": _("within 30 days, or ended")}

    def chosen(self, answer: str) -> QuerySet[Any]:
        """Of any of its hosts."""
        return endpoint_filters.ending_soon(at=timezone.now()).values("pk")


class RowQuestion(Question):
    """Questions that columns of the row itself answer."""

    column: str

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """By the row."""
        return self.asked(queryset, is_yes=self.value() == "yes") if self.value() in self.answers else queryset

    def asked(self, queryset: QuerySet[Any], *, is_yes: bool) -> QuerySet[Any]:
        """The rows of one answer."""
        raise NotImplementedError


class IsOnItsList(RowQuestion):
    """What vanished from its list is marked, and never deleted."""

    title = _("Is it still on its list?")
    parameter_name = "listed"

    def asked(self, queryset: QuerySet[Any], *, is_yes: bool) -> QuerySet[Any]:
        """By the mark."""
        return queryset.filter(vanished_at__isnull=is_yes)


class DoDocumentsDisagree(RowQuestion):
    """Or whether discovery found anything else for staff to review."""

    title = _("Do its documents disagree?")
    parameter_name = "disagrees"

    def asked(self, queryset: QuerySet[Any], *, is_yes: bool) -> QuerySet[Any]:
        """With anything written down, or nothing."""
        return queryset.exclude(disagreements=[]) if is_yes else queryset.filter(disagreements=[])


class IsPractice(RowQuestion):
    """The sandbox's rows."""

    title = _("Is it for practice?")
    parameter_name = "practice"

    def asked(self, queryset: QuerySet[Any], *, is_yes: bool) -> QuerySet[Any]:
        """By the row."""
        return queryset.filter(is_sandbox=is_yes)


class CanAnyBeLinked(Question):
    """Of a provider's endpoints. A site without endpoints of its own has those of its system."""

    title = _("Can patients link it?")
    parameter_name = "linkable"

    def chosen(self, answer: str) -> QuerySet[Any]:
        """Through any endpoint."""
        linkable = endpoint_filters.linkable(at=timezone.now()).values("pk")
        there = Provider.objects.filter(vanished_at__isnull=True)
        own = there.filter(endpoints__in=linkable).values("pk")
        of_the_system = there.filter(endpoints__isnull=True, part_of__endpoints__in=linkable).values("pk")
        with_one = Q(pk__in=own) | Q(pk__in=of_the_system)
        return Provider.objects.filter(with_one if answer == "yes" else ~with_one).values("pk")
