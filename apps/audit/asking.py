"""By which columns staff may look rows up: by those that a page of the admin shows them.

Here, beside `window`, in the lowest app that has an admin, because pages above need the same.
"""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.core.exceptions import FieldDoesNotExist
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest


class AskedOfWhatItShows(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Django lets an address ask for any column of the table: `?password__startswith=` tells one character after the
    other of what no page shows. Here it asks for what is shown, or offered as a filter."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """As Django does, and of no column that is shown nowhere. What is none asks for nothing."""
        name = self._column(lookup.partition(LOOKUP_SEP)[0])
        if request is None or (name and name not in self._shown(request)):
            return False
        return super().lookup_allowed(lookup, value, request)

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
