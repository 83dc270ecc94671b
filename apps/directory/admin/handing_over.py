"""The action "The provider has the new key", for registrations whose provider has an uploaded copy of our keys.

It asks first, and names each key: staff compare it with what they uploaded. Exactly that key is then used, whatever was
made meanwhile.
"""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.directory import published_keys, rotating
from apps.directory.admin.auditing import staff
from apps.directory.admin.list_filters import Question
from apps.directory.models import ClientRegistration, SigningKey

ACTION = "provider_has_new_key"


class NeedsNewKey(Question):
    """Whether the provider has a copy without our newest key."""

    title = _("Does its provider need our new key?")
    parameter_name = "needs_key"
    answers = {"yes": _("yes")}

    def narrow(self, rows: QuerySet[Any], answer: str) -> QuerySet[Any]:
        """By the same rule as the daily log line."""
        return rows.filter(pk__in=[row.pk for row in rotating.waiting_for_staff()])


def answer(
    model_admin: "admin.ModelAdmin[Any]", request: HttpRequest, rows: QuerySet[ClientRegistration]
) -> TemplateResponse | None:
    """Ask about the registrations that wait; once confirmed, sign with the key that was shown."""
    if "confirmed" in request.POST:
        _hand_over(model_admin, request, rows)
        return None
    waiting = [
        (row, rotating.successor(row)) for row in rows.select_related("signing_key") if rotating.waits_for_staff(row)
    ]
    if not waiting:
        sentence = _(
            "None of them is waiting for a new key: only a registration whose provider holds an uploaded copy ever "
            "does."
        )
        model_admin.message_user(request, sentence, messages.WARNING)
        return None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": _("Does the provider have the new key?"),
        "opts": model_admin.model._meta,  # noqa: SLF001 - as the admin's own templates want it
        "waiting": waiting,
        "key_set_url": published_keys.key_set_url(),
        "action": ACTION,
        "action_checkbox_name": helpers.ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/directory/provider_has_new_key.html", context)


def _hand_over(model_admin: "admin.ModelAdmin[Any]", request: HttpRequest, rows: QuerySet[ClientRegistration]) -> None:
    done = 0
    for row in rows:
        key = _shown(request, row)
        try:
            if key is not None:
                rotating.hand_over(row, key, actor=staff(request), at=timezone.now())
                done += 1
        except rotating.NotTheSuccessor:
            refusal = _("%(registration)s: that key is no longer the next one. Look again to see which one is.")
            model_admin.message_user(request, refusal % {"registration": row}, messages.ERROR)
    if done:
        told = ngettext(
            "%(count)d registration signs with the new key.", "%(count)d registrations sign with the new key.", done
        )
        model_admin.message_user(request, told % {"count": done}, messages.SUCCESS)


def _shown(request: HttpRequest, row: ClientRegistration) -> SigningKey | None:
    """The key that was shown for this registration when staff confirmed."""
    try:
        return SigningKey.objects.filter(pk=UUID(request.POST.get(f"key-{row.pk}", ""))).first()
    except ValueError:
        return None
