"""Admin pages that save rows which a directory import writes as well: they wait for the import, but not for long.

An import of a million rows takes minutes, and holds locks on the search words and on the rows that it changed until its
end. A page that waited as long would seem lost, and a proxy would time out while it is still being saved.
"""

from typing import Any, Final

from django.contrib import admin
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from psycopg.errors import LockNotAvailable

from apps.directory.models import SearchWord

_PATIENCE: Final = "SET LOCAL lock_timeout = '10s'"


class BesideImports(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """A mixin. Put it before every other base class that saves."""

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Save after any running import. The lock on search words is taken before the row's, as an import does. If that
        takes more than ten seconds, nothing is saved, and a page (503) holds what was typed, to send it again."""
        if request.method != "POST":
            return super().changeform_view(request, object_id, form_url, extra_context)
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_PATIENCE)
                SearchWord.wait_for_imports()
                return super().changeform_view(request, object_id, form_url, extra_context)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
        return self._send_again(request)

    def _send_again(self, request: HttpRequest) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("A list is being imported"),
            "opts": self.opts,
            "told": _(
                "Nothing was saved yet, because a list is being imported. That may take a few minutes. After that, "
                "save again."
            ),
            "said": _("Save again"),
            "sent": [
                (name, value)
                for name, values in request.POST.lists()
                if name != "csrfmiddlewaretoken"
                for value in values
            ],
        }
        return TemplateResponse(request, "admin/send_again.html", context, status=503)
