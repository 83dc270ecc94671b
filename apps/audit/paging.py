"""A paginator for tables without end: a page of the admin counts only as far as anybody would page.

Here, beside `read_only_admin`, in the lowest app that has an admin, because pages above need the same.
"""

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.utils.functional import cached_property

from apps.audit.admin_lookups import ShownLookupsAdmin


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic in the stubs alone
    """Counts no further than it would let anybody page. Whoever looks for a row beyond that searches for it."""

    MOST_ROWS = 10_000

    @cached_property
    def count(self) -> int:
        """How many rows there are, or MOST_ROWS where there are more."""
        rows: Any = self.object_list
        return int(rows.order_by()[: self.MOST_ROWS].count())

    @property
    def is_cut_off(self) -> bool:
        """Whether there may be rows that no page shows."""
        return self.count >= self.MOST_ROWS


class BoundedAdmin(ShownLookupsAdmin):
    """Whatever its list counts, it counts to a bound."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would count the whole table, once for every choice of every filter
    paginator = BoundedPaginator
