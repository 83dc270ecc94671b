"""Where lists are published, in the admin: for staff to look, and nothing to change."""

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from apps.directory.models import PublishedList


@admin.register(PublishedList)
class PublishedListAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Imported from a list of such lists. The addresses are text: staff decide where to go."""

    show_full_result_count = False
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("name", "url", "file_name", "vanished_at")
    list_filter = (("vanished_at", admin.EmptyFieldListFilter),)
    search_fields = ("name", "url")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """They come from an import."""
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: PublishedList | None = None) -> bool:
        """The next import would change it back."""
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: PublishedList | None = None) -> bool:
        """What is no longer listed is marked, and stays."""
        return False
