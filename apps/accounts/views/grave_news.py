"""Whether somebody is asked before a page shows what may contain grave news (pages say: sensitive news)."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.current_user import current_user
from apps.accounts.models import User

_CHOICES = {"ask": True, "show": False}


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store the choice; an unknown value changes nothing."""
    chosen = _CHOICES.get(request.POST.get("sensitive", ""))
    if chosen is not None:
        User.objects.filter(pk=current_user(request).pk).update(asks_before_grave_news=chosen)
        messages.success(request, _("Saved."))
    return redirect("settings")
