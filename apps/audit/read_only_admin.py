"""The base of every read-only admin page: staff look, and can change nothing.

This is here, in the lowest app that has an admin, because apps above need it too.
"""

from typing import Any

from django.http import HttpRequest

from apps.audit.paging import BoundedAdmin


class ReadOnlyAdmin(BoundedAdmin):
    """Nothing can be added, changed or deleted, and no page counts a whole table. A subclass permits what it must."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows are added elsewhere."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows are shown as they are."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows are deleted elsewhere."""
        return False
