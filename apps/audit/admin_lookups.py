"""By which columns staff may look rows up: by those that a page of the admin shows them, and by what can be a value of
such a column. What came otherwise, by an address or a form, is answered that nobody can read it.

Here, beside `read_only_admin`, in the lowest app that has an admin, because pages above need the same.
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
    """Django lets an address ask for any column of the table: `?password__startswith=` tells one character after the
    other of what no page shows. Here it asks for what is shown, or offered as a filter."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """As Django does, and of no column that is shown nowhere. What is none asks for nothing."""
        name = self._column(lookup.partition(LOOKUP_SEP)[0])
        if request is None or (name and name not in self._shown(request)):
            return False
        return super().lookup_allowed(lookup, value, request) and (not name or self._may_be_asked(lookup, value))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list. Raises BadRequest for a text that no text can be: Postgres has none with a NUL."""
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            raise BadRequest
        return super().changelist_view(request, extra_context)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """What a search finds, of a list or of what is chosen by typing. Raises BadRequest as the list does."""
        if "\0" in search_term:
            raise BadRequest
        return super().get_search_results(request, queryset, search_term)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The page of one row. Raises BadRequest where what was chosen by typing has an id that is none: the form says
        so, and then looks for it to show it again."""
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
        """What was chosen for the rows that are ticked. Raises BadRequest for ids that are none."""
        _ensure_ids(self.model, request.POST.getlist(ACTION_CHECKBOX_NAME))
        return super().response_action(request, queryset, *where)

    def _may_be_asked(self, lookup: str, unverified: str) -> bool:
        """Whether the database could be asked for it: some values show only then that they are none."""
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
        """Its name, by whichever of its names; empty where it is no column."""
        options: Any = self.model._meta  # noqa: SLF001 - public
        try:
            return str(options.pk.name if name == "pk" else options.get_field(name).name)
        except FieldDoesNotExist:
            return ""


def _ensure_ids(model: type[Model], unverified: Iterable[str]) -> None:
    """Raise BadRequest where one of them can be no id of such a row."""
    try:
        for value in unverified:
            model._meta.pk.to_python(value)  # noqa: SLF001 - public
    except ValidationError:
        raise BadRequest from None
