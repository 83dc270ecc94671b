"""Filters of the admin's lists (`list_filter`), named after staff's questions: each has a title with a question mark,
and says which rows each answer leaves."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Question(admin.SimpleListFilter):
    """A subclass has a title, the name of its parameter, its answers unless they are yes and no, and `narrow`."""

    template = "admin/list_filter.html"  # the question itself, without the word "by" before it
    answers: ClassVar[Mapping[str, str | Promise]] = {"yes": _("yes"), "no": _("no")}

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """In their order."""
        return list(self.answers.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen answer; all if none was chosen, or one that does not exist."""
        answer = self.value()
        return queryset if answer is None or answer not in self.answers else self.narrow(queryset, answer)

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """The rows of this answer."""
        raise NotImplementedError


class IsSwitchedOff(Question):
    """Of rows with a switch."""

    title = _("Is it switched off?")
    parameter_name = "off"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the switch."""
        return rows.filter(is_switched_on=answer == "no")


class IsOfSandbox(Question):
    """Of rows whose people are invented."""

    title = _("Does it belong to the sandbox?")
    parameter_name = "sandbox"

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the mark."""
        return rows.filter(is_sandbox=answer == "yes")
