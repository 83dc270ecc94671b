"""The base of every admin page that only shows: a window, through which staff look and change nothing.

Here, in the lowest app that has one, because pages above need the same.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class Window(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Nothing can be added, changed or deleted, and no page counts a whole table. A subclass opens what it must."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come to be elsewhere."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They are shown as they are."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever made them deletes them."""
        return False
