"""Admin pages beside a directory import (`import_waits`): what meets one waits ten seconds, and then a page says so and
can send it again."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory import import_waits


class ActsBesideImports(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """A mixin for actions of lists, and for deleting. An action marks what may meet an import by `import_waits`."""

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *where: Any) -> HttpResponse | None:
        """Run the action. What it has done before it met an import stays done: twice is as once."""
        try:
            return super().response_action(request, queryset, *where)
        except import_waits.StillImporting:
            said = dict(self.get_action_choices(request))
            chosen = next((action for action in request.POST.getlist("action") if action in said), "")
            return self.send_again(request, told=import_waits.NOT_DONE_YET, said=said.get(chosen, ""))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Delete one row, after any import: others refer to it, and an import locks them in an order of its own."""
        if request.method != "POST":
            return super().delete_view(request, object_id, extra_context)
        try:
            with import_waits.after_imports():
                return super().delete_view(request, object_id, extra_context)
        except import_waits.StillImporting:
            return self.send_again(request, told=import_waits.NOT_DONE_YET, said=_("Delete"))

    def save_after_imports(self, request: HttpRequest, save: Callable[[], HttpResponse]) -> HttpResponse:
        """The answer of `save` after any running import. The lock on search words is taken before those on rows, as an
        import does."""
        try:
            with import_waits.after_imports():
                return save()
        except import_waits.StillImporting:
            told = _(
                "Nothing was saved yet, because a list is being imported. That may take a few minutes. After that, "
                "save again."
            )
            return self.send_again(request, told=told, said=_("Save again"))

    def send_again(self, request: HttpRequest, *, told: str | Promise, said: str | Promise) -> HttpResponse:
        """The page (503) that holds what was sent. `said` is on its button."""
        context = {
            **self.admin_site.each_context(request),
            "title": _("A list is being imported"),
            "opts": self.opts,
            "told": told,
            "said": said,
            "sent": [
                (name, value)
                for name, values in request.POST.lists()
                if name != "csrfmiddlewaretoken"
                for value in values
            ],
        }
        return TemplateResponse(request, "admin/send_again.html", context, status=503)


class SavesAfterImports(ActsBesideImports):
    """A mixin for rows that an import writes as well. Put it before every other base class that saves."""

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Save after any running import."""
        answer = partial(super().changeform_view, request, object_id, form_url, extra_context)
        return self.save_after_imports(request, answer) if request.method == "POST" else answer()
