"""The base of every read-only admin page: staff look, and can change nothing.

Here, in the lowest app that has one, because pages above need the same.
"""

from typing import Any

from django.http import HttpRequest

from apps.audit.paging import BoundedAdmin


class ReadOnlyAdmin(BoundedAdmin):
    """Nothing can be added, changed or deleted, and no page counts a whole table. A subclass opens what it must."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come to be elsewhere."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They are shown as they are."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever made them deletes them."""
        return False
