"""Filters named after staff's questions: a title with a question mark, and a condition for each answer."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Question(admin.SimpleListFilter):
    """A subclass has a title, the name of its parameter, and the rows for each answer."""

    template = "admin/directory/question.html"  # the question itself, without the word "by" before it
    answers: ClassVar[Mapping[str, str | Promise]] = {"yes": _("yes"), "no": _("no")}

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """In their order."""
        return list(self.answers.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen answer; all if none was chosen."""
        answer = self.value()
        if answer is None or answer not in self.answers:
            return queryset
        return queryset.filter(pk__in=self.chosen(answer))

    def chosen(self, answer: str) -> QuerySet[Any]:
        """The ids of the rows of one answer."""
        raise NotImplementedError


class IsSwitchedOff(Question):
    """Of rows with a switch."""

    title = _("Is it switched off?")
    parameter_name = "off"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """By the row itself."""
        return queryset.filter(is_switched_on=self.value() == "no") if self.value() in self.answers else queryset


class IsOfSandbox(Question):
    """Of rows whose people are invented."""

    title = _("Does it belong to the sandbox?")
    parameter_name = "sandbox"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """By the row itself."""
        return queryset.filter(is_sandbox=self.value() == "yes") if self.value() in self.answers else queryset
