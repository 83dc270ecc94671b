"""Where lists are published, in the admin. Read-only."""

from django.contrib import admin
from django.db import models

from apps.audit.read_only_admin import ReadOnlyAdmin
from apps.directory.models import PublishedList


@admin.register(PublishedList)
class PublishedListAdmin(ReadOnlyAdmin):
    """Imported from a list of such lists. The addresses are text: staff decide where to go."""

    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("name", "url", "file_name", "vanished_at")
    list_filter = (("vanished_at", admin.EmptyFieldListFilter),)
    search_fields = ("name", "url")
