"""The actions "Reject" and "Retire" of client registrations: they cannot be undone, and ask first."""

from typing import Any

from django.contrib import admin
from django.contrib.admin import helpers
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration

CONFIRMED = "confirmed"
TITLE = _("End them for good?")


def question(
    model_admin: "admin.ModelAdmin[Any]", request: HttpRequest, rows: QuerySet[ClientRegistration], *, action: str
) -> TemplateResponse | None:
    """The page that asks; None once it was confirmed."""
    if CONFIRMED in request.POST:
        return None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": TITLE,
        "opts": model_admin.model._meta,  # noqa: SLF001 - as the admin's own templates want it
        "rows": rows,
        "action": action,
        "said": dict(model_admin.get_action_choices(request))[action],
        "action_checkbox_name": helpers.ACTION_CHECKBOX_NAME,
        "confirmed": CONFIRMED,
    }
    return TemplateResponse(request, "admin/directory/end_for_good.html", context)
