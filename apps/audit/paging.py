"""A paginator for tables without a limit: an admin page counts only as far as anybody would page.

This is here, in the lowest app that has an admin, because apps above need it too.
"""

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.utils.functional import cached_property

from apps.audit.admin_lookups import ShownLookupsAdmin


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic in the stubs alone
    """Counts at most as many rows as it lets anybody page through. To find a row beyond that, search for it."""

    MOST_ROWS = 10_000

    @cached_property
    def count(self) -> int:
        """The number of rows, or MOST_ROWS if there are more."""
        rows: Any = self.object_list
        return int(rows.order_by()[: self.MOST_ROWS].count())

    @property
    def is_cut_off(self) -> bool:
        """Whether there may be rows that no page shows."""
        return self.count >= self.MOST_ROWS


class BoundedAdmin(ShownLookupsAdmin):
    """An admin whose lists never count a whole table."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count the whole table once for every choice of every filter
    paginator = BoundedPaginator
