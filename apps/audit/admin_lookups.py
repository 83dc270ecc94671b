"""Restrict the admin's lookups to columns that its page shows, and to values that such a column can have. Other query
strings and form data are answered with 400.

This is here, in the lowest app that has an admin, because apps above need it too.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import flatten, prepare_lookup_value
from django.core.exceptions import BadRequest, EmptyResultSet, FieldDoesNotExist, FieldError, ValidationError
from django.db.models import Model, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest, HttpResponse


class ShownLookupsAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Django lets a query string filter by any column: `?password__startswith=` reveals, one character after another,
    what no page shows. Here it can only filter by columns that are shown, or offered as a filter."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Django's rule, without columns that are not shown. A name that is no column filters nothing."""
        name = self._column(lookup.partition(LOOKUP_SEP)[0])
        if request is None or (name and name not in self._shown(request)):
            return False
        return super().lookup_allowed(lookup, value, request) and (not name or self._may_be_asked(lookup, value))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list. Raises BadRequest for text with a NUL, which Postgres cannot store."""
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            raise BadRequest
        return super().changelist_view(request, extra_context)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The search of a list or of an autocomplete field. Raises BadRequest as the list does."""
        if "\0" in search_term:
            raise BadRequest
        return super().get_search_results(request, queryset, search_term)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The page of one row. Raises BadRequest if an autocomplete field was sent an id that cannot exist: the form
        would report it, and then fail to look it up in order to show it again."""
        pages: list[Any] = [self, *self.get_inline_instances(request)] if request.method == "POST" else []
        chosen = {
            name: page.model._meta.get_field(name)  # noqa: SLF001 - public
            for page in pages
            for name in page.get_autocomplete_fields(request)
        }
        for name, values in request.POST.lists():
            column = chosen.get(name.rpartition("-")[2])
            if column is not None:
                _ensure_ids(column.related_model, filter(None, values))
        return super().changeform_view(request, object_id, form_url, extra_context)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *where: Any) -> HttpResponse | None:
        """The action chosen for the ticked rows. Raises BadRequest for ids that cannot exist."""
        _ensure_ids(self.model, request.POST.getlist(ACTION_CHECKBOX_NAME))
        return super().response_action(request, queryset, *where)

    def _may_be_asked(self, lookup: str, unverified: str) -> bool:
        """Whether a query can be built from it: some invalid values show only then."""
        try:
            asked = self.model._default_manager.filter(**{lookup: prepare_lookup_value(lookup, [unverified])[0]})  # noqa: SLF001 - public
            asked.query.sql_with_params()
        except EmptyResultSet:
            return True
        except (ValueError, TypeError, ValidationError, FieldError):
            return False
        return True

    def _shown(self, request: HttpRequest) -> set[str]:
        filters = (one[0] if isinstance(one, list | tuple) else one for one in self.get_list_filter(request))
        offered = (one.partition(LOOKUP_SEP)[0] for one in filters if isinstance(one, str))
        own = self.model._meta.pk  # noqa: SLF001 - public
        listed = [*self.get_list_display(request), *flatten(self.get_fields(request)), *offered, own.name]
        return {self._column(one) for one in listed if isinstance(one, str)} - {""}

    def _column(self, name: str) -> str:
        """The column's own name, from any of its names; empty if there is no such column."""
        options: Any = self.model._meta  # noqa: SLF001 - public
        try:
            return str(options.pk.name if name == "pk" else options.get_field(name).name)
        except FieldDoesNotExist:
            return ""


def _ensure_ids(model: type[Model], unverified: Iterable[str]) -> None:
    """Raise BadRequest if one of these cannot be the id of such a row."""
    try:
        for value in unverified:
            model._meta.pk.to_python(value)  # noqa: SLF001 - public
    except ValidationError:
        raise BadRequest from None
