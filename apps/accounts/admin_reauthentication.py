"""Admin pages that change something require a recent password, by the same rule as the desk. With an unattended browser
or a stolen session, somebody can look but change nothing.

Input is not lost, except for secrets: the password is given in another tab, and the button pressed again.
"""

from collections.abc import Collection
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.accounts import reauthentication


class ReauthenticationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """List it before the other bases of an admin page whose rows can be changed."""

    # Names of actions that change nothing by themselves.
    only_looking: ClassVar[Collection[str]] = ()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002  Django's signature
        """The form. Until the password was given, its data do not validate; it keeps all input but secrets."""
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        if request.method != "POST" or reauthentication.is_recent_for_staff(request):
            return form
        return type(form)(form.__name__, (_PasswordRequired, form), {})

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask for the password before the page that asks whether to delete."""
        if request.method != "POST":
            reauthentication.require_for_staff(request)
        elif not reauthentication.is_recent_for_staff(request):
            messages.info(request, _("Nothing was changed yet. Enter your password again, then do this again."))
            return redirect(request.get_full_path())
        return super().delete_view(request, object_id, extra_context)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *where: Any) -> HttpResponse | None:
        """Run the chosen action on the ticked rows, or ask for the password first and keep the ticks."""
        actions = request.POST.getlist("action")
        if reauthentication.is_recent_for_staff(request) or set(actions) <= {"", *self.only_looking}:
            return super().response_action(request, queryset, *where)
        said = dict(self.get_action_choices(request))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Your password first"),
            "opts": self.opts,
            "told": _password_link(_("Nothing was changed yet.")),
            "said": next((said[action] for action in actions if action and action in said), ""),
            "sent": [(name, value) for name, values in request.POST.lists() if name not in _OURS for value in values],
        }
        return TemplateResponse(request, "admin/send_again.html", context)


_OURS = frozenset({"csrfmiddlewaretoken"})


class _PasswordRequired(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound:
            kept = _("Nothing was saved yet. Everything you typed is still here, except for a secret.")
            self.add_error(None, _password_link(kept))


def _password_link(what_happened: str) -> SafeString:
    address = f"{reverse('account_reauthenticate')}?next={reverse('password_given')}"
    give = _("Enter your password again, in another tab")
    then = _("then come back and press the button again.")
    return format_html('{} <a href="{}" target="_blank" rel="noopener">{}</a>, {}', what_happened, address, give, then)
