"""Close the account: the page that asks requires the password, a POST does it, and the welcome page says that it is
done.
"""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts import reauthentication
from apps.accounts.current_user import current_user
from apps.connections import tasks
from apps.portal import closing
from apps.portal.closing import Closed


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(no_store=True, private=True)
def close_account(request: HttpRequest) -> HttpResponseBase:
    """Ask, or do it. After a second press nobody is signed in any more; it leads to the welcome page as the first
    did."""
    if request.method != "POST":
        return _ask(request)
    return _close(request) if request.user.is_authenticated else redirect("home")


@login_required
@reauthentication.required
def _ask(request: HttpRequest) -> HttpResponse:
    at_stake = closing.at_stake(current_user(request), at=timezone.now())
    return render(request, "portal/close_account.html", {"at_stake": at_stake})


@reauthentication.required
def _close(request: HttpRequest) -> HttpResponse:
    closed = closing.close(current_user(request), at=timezone.now())
    tasks.enqueue_telling()
    logout(request)
    _tell(request, closed)
    return redirect("home")


def _tell(request: HttpRequest, closed: Closed) -> None:
    said = _("Your account is closed. Your copies are deleted, and so is the key that opened them.")
    if closed.told:
        said += " " + _("We are telling your providers to end the permission.")
    messages.success(request, said)
    if closed.untold:
        doubt = _(
            "Not every provider gave us a way to tell them. To be sure, remove Holdfast in their portal under "
            "connected apps."
        )
        messages.warning(request, doubt)
